"""From transformed examples to batches."""
