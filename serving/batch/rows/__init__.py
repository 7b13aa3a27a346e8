"""The rows of input files: which files there are, their columns, slices and cells."""
