"""Distances between distributions, what chance explains of them, and what is tolerated."""
