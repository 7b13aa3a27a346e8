"""Measures batch predictions: `python -m benchmarks.prediction`.

The floor is the loaded signature in a bare loop, on the arrays that the command would give it: it
reads, casts and writes nothing.
"""
