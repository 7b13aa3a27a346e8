"""The web application of a worker process."""
