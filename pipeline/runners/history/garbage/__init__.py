"""Removes old runs, for `gc` and for the section `retention`."""
