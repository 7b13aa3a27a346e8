"""What is served and what was: `versions`, `rollback` and `promote`. It imports no TensorFlow."""
