"""What a run shows on a terminal and sums up in JSON; only the runners and the CLI import this."""
