"""Runs the pipeline on open-source Kubeflow Pipelines. Only `pipeline.cli` imports this package."""
