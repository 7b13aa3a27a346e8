"""Makes the parts of a run's page, one file each."""
