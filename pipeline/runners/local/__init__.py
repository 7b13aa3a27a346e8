"""Runs the pipeline on this machine, in a process of its own; only the CLI imports this."""
