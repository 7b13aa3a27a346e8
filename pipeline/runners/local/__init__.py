"""Runs the pipeline on this machine, in a worker process; only the CLI imports this."""
