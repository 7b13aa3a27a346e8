"""What the configuration has to say where the pipeline runs on Kubeflow. Imports nothing heavy."""

from __future__ import annotations

from pipeline.config import Config, ConfigError
from pipeline.config.kubeflow import StorageConfig


def image_of(config: Config) -> str:
    """The image that all tasks run.

    Raises:
      ConfigError: there is none.
    """
    if config.kubeflow.image is None:
        raise ConfigError(
            "kubeflow.image: is required on Kubeflow",
            "`make image` builds one; name it: --set kubeflow.image=REGISTRY/NAME:TAG",
        )
    return config.kubeflow.image


def storage_of(config: Config) -> StorageConfig:
    """The volume that all tasks share.

    Raises:
      ConfigError: there is none.
    """
    if config.kubeflow.storage is None:
        raise ConfigError(
            "kubeflow.storage: is required on Kubeflow: what is served has to outlive the run",
            "name a PersistentVolumeClaim: --set kubeflow.storage.claim=NAME",
        )
    return config.kubeflow.storage
