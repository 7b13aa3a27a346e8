"""Turns the text of a LightGBM model into a TensorFlow function.

`model_text` takes the text apart, `forest` reads it into arrays, `masks` makes tables of bit masks
of the arrays, and `scorer` scores rows with these tables.
"""
