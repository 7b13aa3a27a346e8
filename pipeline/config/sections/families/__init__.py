"""The settings that only one family of models reads."""
