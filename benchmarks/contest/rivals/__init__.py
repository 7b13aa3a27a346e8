"""The rivals of a match: boosted trees with fixed settings, and the list of all rivals."""
