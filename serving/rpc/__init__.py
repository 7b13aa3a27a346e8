"""TensorFlow Serving's gRPC API, with the same versions, batches, limits and tokens as HTTP."""
