"""Measures the model server: `python -m benchmarks.serving`.

The floor is the same calls of the loaded signature in a bare loop. The naive server answers each
request by a call of its own in a thread, as a Flask application under `flask run` does.
"""
