"""Models of several parts, networks and boosted trees, whose predictions are averaged.

`run` trains the parts, `weights` settles how much each counts, and `model` is what is served.
"""
