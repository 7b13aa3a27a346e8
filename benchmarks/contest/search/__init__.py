"""Rivals whose settings are searched, within as many seconds as the Trainer of a match took."""
