"""The section `kubeflow`, and names that Kubernetes allows; all but pipeline.core may import it."""
