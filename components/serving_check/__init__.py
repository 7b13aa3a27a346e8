"""ServingCheck asks a blessed model in a process that has TensorFlow alone; for pipeline/ only."""
