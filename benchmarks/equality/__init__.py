"""Whether both pipelines came to the same results: being fast and wrong would be easy."""
