"""Runs the workers as Kubernetes pods; only the executor of DistributedTrainer imports it."""
