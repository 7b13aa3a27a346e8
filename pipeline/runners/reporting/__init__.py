"""Makes the page of a run from what the run left: events, metadata, artifacts and its record."""
