"""Rivals whose settings are searched, within as many seconds as the Trainer of a match took.

`python -m benchmarks.contest.search SPEC` runs a search in a process of its own.
"""
