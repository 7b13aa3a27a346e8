"""Distances between distributions, and what chance explains of them; for the anomaly gate only."""
