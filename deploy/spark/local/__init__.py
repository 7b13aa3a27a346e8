"""Spark on one machine, for development and tests."""
