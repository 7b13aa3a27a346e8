"""The output directory: its lock, metadata, backups and past runs; runners and CLI import this."""
