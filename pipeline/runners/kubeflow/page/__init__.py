"""Makes the page of a run from the records of its tasks. Only the exit task imports this."""
