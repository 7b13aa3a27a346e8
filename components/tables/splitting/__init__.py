"""Divides rows into splits: by their content, by a key or by time."""
