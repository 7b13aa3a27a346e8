"""Settings that Kubeflow requires of the configuration.

This module does not import TensorFlow or TFX.
"""

from __future__ import annotations

import posixpath

from pipeline.config import Config
from pipeline.config.kubernetes.kubeflow import StorageConfig
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import is_store_address
from pipeline.runners.kubeflow.compiling.task_names import PREPARE
from pipeline.runners.workspace.places import SERVING_COPY

STAGING_FOLDERS = {"gs": "gcs", "minio": "minio", "s3": "s3"}
"""By the scheme of a store: the directory at the root where Kubeflow's launcher stages objects."""
_RUN_JOBS = (
    Node.EXAMPLE_GEN, Node.STATISTICS_GEN, Node.TRANSFORM, Node.EVALUATOR, Node.BATCH_PREDICTOR
)  # fmt: skip
_USE_SERVED_MODELS = (
    PREPARE, Node.REFERENCE, Node.WARM_START, Node.BASELINE, Node.PUSHER, Node.BATCH_PREDICTOR
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
    """Returns the directory of the served models; for an address, that of its copy.

    Raises:
      ConfigError: a task that uses the directory has it on no volume, so a pushed model would be
        lost with the task's container.
    """
    storage, directory = require_storage(config), config.serving.directory
    if directory is None:
        return f"{storage.path}/{config.name}/serving"
    if is_store_address(directory):
        return f"{storage.path}/{config.name}/{SERVING_COPY}"
    if posixpath.normpath(directory) != directory.rstrip("/"):
        raise ConfigError(
            f"serving.directory: {directory} is not a normalized path, which Kubeflow needs",
            f"write {posixpath.normpath(directory)}",
        )
    for node in _USE_SERVED_MODELS:
        if not is_on_volume(config, node, directory):
            raise ConfigError(
                f"serving.directory: {directory} is on no volume of the task {node}",
                f"leave the key out, or set a directory below {storage.path}: "
                "--set serving.directory=",
            )
    return directory


def require_prediction_output(config: Config) -> None:
    """Checks the directory of the predictions that follow a push.

    Raises:
      ConfigError: BatchPredictor has the directory on no volume, so the predictions would be lost
        with the task's container.
    """
    if config.prediction is None:
        return
    output, node = config.prediction.output, Node.BATCH_PREDICTOR
    if is_store_address(output):
        return
    if not is_on_volume(config, node, output):
        example = f"{require_storage(config).path}/{config.name}/predictions"
        raise ConfigError(
            f"prediction.output: {output} is on no volume of the task {node}",
            f"set a directory on one, such as {example}",
        )


def require_shared_root(config: Config) -> None:
    """Checks that the workers of an engine can see the artifacts.

    Kubeflow's launcher stages artifacts in a directory of the task's own container. A volume at
    this directory, which the workers mount at the same path, makes it a shared one.

    Raises:
      ConfigError: `kubeflow.pipeline_root` is not set, or a task that runs jobs on the engine has
        its directory on no volume.
    """
    kind, root = config.engine.kind, config.kubeflow.pipeline_root
    if kind == "local":
        return
    if config.kubeflow.platform == "vertex":
        raise ConfigError(
            f"engine.kind: workers of {kind} do not see the buckets that Vertex AI mounts at /gcs",
            "set engine.kind=local: Vertex AI gives each task a machine of its size",
        )
    if root is None:
        raise ConfigError(
            f"kubeflow.pipeline_root: is required for engine.kind {kind}, whose workers must see "
            "the artifacts",
            "set it to Kubeflow's own or another one: --set "
            "kubeflow.pipeline_root=minio://mlpipeline/v2/artifacts",
        )
    scheme, _, key = root.partition("://")
    staged = posixpath.join("/", STAGING_FOLDERS[scheme], key.rstrip("/"))
    for node in _RUN_JOBS:
        if not is_on_volume(config, node, f"{staged}/artifact"):
            raise ConfigError(
                f"kubeflow.pipeline_root: the workers of engine.kind {kind} do not see {staged}, "
                f"where Kubeflow stages the artifacts of {node}",
                "mount a ReadWriteMany volume there, in the tasks and in the workers: --set "
                f"'kubeflow.defaults.volumes=[{{claim: NAME, path: {staged}}}]'",
            )


def is_on_volume(config: Config, node: str, directory: str) -> bool:
    """Returns whether the task of a node has the directory on a volume that outlives the task."""
    volumes = config.kubeflow.task(node).volumes
    paths = [require_storage(config).path, *(volume.path for volume in volumes)]
    return any(posixpath.normpath(directory).startswith(f"{path}/") for path in paths)
