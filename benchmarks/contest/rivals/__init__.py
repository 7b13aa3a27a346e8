"""The rivals of a match.

`python -m benchmarks.contest.rivals SPEC` fits one rival in a process of its own.
"""
