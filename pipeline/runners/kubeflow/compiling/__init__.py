"""Compiles a configuration to the file that Kubeflow runs.

The packages `client` and `in_cluster`, and the entrypoint, may import this package.
"""
