"""The split by time: where the boundaries are, in whatever number of distinct times."""
