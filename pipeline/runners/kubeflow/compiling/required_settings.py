"""Settings that Kubeflow requires of the configuration.

This module does not import TensorFlow or TFX.
"""

from __future__ import annotations

import posixpath

from pipeline.config import Config
from pipeline.config.kubernetes.kubeflow import StorageConfig
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError

_USE_SERVED_MODELS = (
    "Prepare", Node.REFERENCE, Node.WARM_START, Node.BASELINE, Node.PUSHER, Node.BATCH_PREDICTOR
)  # fmt: skip


def require_image(config: Config) -> str:
    """Returns the image of all tasks.

    Raises:
      ConfigError: `kubeflow.image` is not set.
    """
    if config.kubeflow.image is None:
        raise ConfigError(
            "kubeflow.image: is required on Kubeflow",
            "build an image with `make image` and name it: --set kubeflow.image=REGISTRY/NAME:TAG",
        )
    return config.kubeflow.image


def require_storage(config: Config) -> StorageConfig:
    """Returns the volume that all tasks share.

    Raises:
      ConfigError: `kubeflow.storage` is not set.
    """
    if config.kubeflow.storage is None:
        raise ConfigError(
            "kubeflow.storage: is required on Kubeflow: served models have to outlive the run",
            "name a PersistentVolumeClaim: --set kubeflow.storage.claim=NAME; on Vertex AI, a "
            "bucket: --set kubeflow.storage.path=/gcs/BUCKET",
        )
    return config.kubeflow.storage


def require_serving_directory(config: Config) -> str:
    """Returns the directory of the served models.

    Raises:
      ConfigError: a task that uses the directory has it on no volume, so a pushed model would be
        lost with the task's container.
    """
    storage, directory = require_storage(config), config.serving.directory
    if directory is None:
        return f"{storage.path}/{config.name}/serving"
    if posixpath.normpath(directory) != directory.rstrip("/"):
        raise ConfigError(
            f"serving.directory: {directory} is not a normalized path, which Kubeflow needs",
            f"write {posixpath.normpath(directory)}",
        )
    for node in _USE_SERVED_MODELS:
        volumes = [storage.path, *(volume.path for volume in config.kubeflow.task(node).volumes)]
        if not any(directory.startswith(f"{path}/") for path in volumes):
            raise ConfigError(
                f"serving.directory: {directory} is on no volume of the task {node}",
                f"leave the key out, or set a directory below {storage.path}: "
                "--set serving.directory=",
            )
    return directory
