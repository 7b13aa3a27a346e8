"""What is kept of finished matches, for docs/quality.md: a line of JSON each."""
