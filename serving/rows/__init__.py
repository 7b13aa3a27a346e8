"""JSON to NumPy arrays and back, without TensorFlow."""
