"""The same pipeline built from TFX's own components with their defaults; only runs.py starts it."""
