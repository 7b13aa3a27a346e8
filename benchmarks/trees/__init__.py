"""Benchmarks of boosted trees: the exported ones, and LightGBM's threads in a training."""
