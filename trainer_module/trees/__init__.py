"""Boosted trees: LightGBM fits them, and TensorFlow's own operations score them in the SavedModel.

`forest`, `masks` and `scorer` turn a model of LightGBM into a TensorFlow function.
"""
