"""TensorFlow graphs and Beam analyses that encode raw columns; `preprocessing` imports them.

`models` and the warm start import `vocabulary_file`, and `export` imports `label`.
"""
