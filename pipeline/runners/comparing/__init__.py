"""Compares two runs for `report --compare`: configuration, code, data, metrics and answers."""
