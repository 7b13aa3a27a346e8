"""The sections of the configuration, one a file; everything but pipeline.core may import them."""
