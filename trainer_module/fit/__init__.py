"""The fit: training step, loops, optimizer, backups and callbacks; `run` and `trial` import it."""
