"""A process that has imported TensorFlow, TFX and Beam, and becomes the next runs by forking."""
