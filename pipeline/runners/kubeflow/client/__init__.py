"""Writes, reads and deploys compiled files from the user's machine.

Only `pipeline.cli` imports this package.
"""
