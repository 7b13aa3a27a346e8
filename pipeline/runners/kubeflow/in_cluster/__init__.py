"""Runs inside a task's container. Only the entrypoint imports this package."""
