"""Compiles a configuration for Kubeflow; only the rest of the Kubeflow runner imports this."""
