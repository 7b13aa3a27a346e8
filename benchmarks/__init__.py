"""Compares this project with TFX's own components on the same rows; `make bench` runs it.

It fails if a result differs or a speed misses its target. Only its tests import it.
"""
