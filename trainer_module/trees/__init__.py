"""Boosted trees: LightGBM fits them, and TensorFlow's own operations score them in the SavedModel.

`scoring/` turns a model of LightGBM into a TensorFlow function.
"""
