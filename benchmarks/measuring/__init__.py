"""Measures whole processes and single trainings in pairs; only benchmarks/ imports it."""
