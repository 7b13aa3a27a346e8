"""The fit: steps, loop, backups, and what takes part between the steps."""
