"""Measures the data work of a run on a Flink cluster of this machine: `make bench-engine`."""
