"""Splits records of tf.Example as rows of a table are split; for the ExampleGens that read them."""
