"""Checks that both pipelines have the same results; only the benchmark imports it."""
