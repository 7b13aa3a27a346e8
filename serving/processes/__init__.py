"""The processes of the server: a supervisor without TensorFlow, and its workers."""
