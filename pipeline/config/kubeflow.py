"""What differs where the pipeline runs on Kubeflow."""

from __future__ import annotations

from pipeline.config.base import Section
from pipeline.config.kubernetes import WorkersConfig


class KubeflowConfig(Section):
    """How the pipeline runs on Kubeflow; elsewhere it means nothing."""

    workers: WorkersConfig = WorkersConfig()
    """The pods in which `training.workers` train."""
