"""Writes, reads and deploys compiled files on the user's machine; only the CLI imports this."""
