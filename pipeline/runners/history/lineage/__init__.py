"""What made a model or an artifact, and what it made: found, and shown as tree, JSON and DOT."""
