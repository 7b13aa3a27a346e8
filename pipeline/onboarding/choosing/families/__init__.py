"""Columns that belong together."""
