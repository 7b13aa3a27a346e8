"""What each pushed model was worth and read, and how a new model differs from these."""
