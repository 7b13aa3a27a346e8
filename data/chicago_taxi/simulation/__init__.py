"""A small model of Chicago's taxi trips: times, places, fares and tips; generate.py imports it."""
