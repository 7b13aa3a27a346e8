"""The same pipeline made of TFX's own components with TFX's defaults."""
