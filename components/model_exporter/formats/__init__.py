"""The files that exports are: how each format is converted, quantized and run."""
