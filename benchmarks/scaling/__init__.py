"""Measures trainings with one and with several workers: `make bench-scaling`."""
