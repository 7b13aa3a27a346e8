"""The SavedModel of a version: loading, calling, batching, and the switch to another version."""
