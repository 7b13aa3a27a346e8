"""What the configuration has to say where the pipeline runs on Kubeflow. Imports nothing heavy."""

from __future__ import annotations

import posixpath

from pipeline.config import Config
from pipeline.config.kubernetes.kubeflow import StorageConfig
from pipeline.core.errors import ConfigError

_SEE_WHAT_IS_SERVED = ("Prepare", "Reference", "WarmStart", "Baseline", "Pusher")


def require_image(config: Config) -> str:
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


def require_storage(config: Config) -> StorageConfig:
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


def require_serving_directory(config: Config) -> str:
    """The directory of the served models.

    Raises:
      ConfigError: a task that needs it would not see it, and what is pushed would be lost.
    """
    storage, directory = require_storage(config), config.serving.directory
    if directory is None:
        return f"{storage.path}/{config.name}/serving"
    if posixpath.normpath(directory) != directory.rstrip("/"):
        raise ConfigError(
            f"serving.directory: {directory} is a way around, and Kubeflow needs the place itself",
            f"write {posixpath.normpath(directory)}",
        )
    for node in _SEE_WHAT_IS_SERVED:
        volumes = [storage.path, *(volume.path for volume in config.kubeflow.task(node).volumes)]
        if not any(directory.startswith(f"{path}/") for path in volumes):
            raise ConfigError(
                f"serving.directory: {directory} is on no volume of the task {node}",
                f"leave it out, or name a directory below {storage.path}: --set serving.directory=",
            )
    return directory
