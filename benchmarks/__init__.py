"""Measures this project against TFX as it comes, on the same rows; fails where a promise is broken.

Run by `make bench`. Nothing of the product imports it.
"""
