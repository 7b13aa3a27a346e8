"""Reads what a run left: its record, its events, its metadata and its figures."""
