"""The Tuner: searches for the settings that train the best model; for pipeline/ only."""
