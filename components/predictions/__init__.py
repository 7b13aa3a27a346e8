"""The table of predictions, and metrics with intervals from it. Every component may import it."""
