"""The runners of the pipeline: on this machine and on Kubeflow; only the CLI imports them."""
