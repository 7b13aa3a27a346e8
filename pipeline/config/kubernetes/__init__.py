"""The settings of pods: the section kubeflow, and names and paths that Kubernetes allows."""
