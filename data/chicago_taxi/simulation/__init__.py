"""A small model of Chicago's taxi traffic: when, from where to where, how, and what was tipped."""
