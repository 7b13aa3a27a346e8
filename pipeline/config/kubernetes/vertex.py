"""Which settings of `kubeflow` fit the platform: Kubeflow Pipelines or Vertex AI Pipelines.

Vertex AI runs the same compiled tasks, but has no Kubernetes: no volumes, Secrets, labels or pods
for workers. It mounts every bucket of the project below /gcs in every task, by Cloud Storage FUSE.
https://cloud.google.com/vertex-ai/docs/pipelines/migrate-kfp
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.config.base import Key, RuleError
from pipeline.config.kubernetes.pods import TaskConfig, WorkersConfig

if TYPE_CHECKING:
    from pipeline.config.kubernetes.kubeflow import KubeflowConfig

_BUCKETS = "/gcs/"
_FOR_TASKS = ("resources", "env", "retries")
"""The settings of a task that the specification holds, and so Vertex AI reads."""
_VERTEX_GPUS = "NVIDIA_"


def broken_by_platform(config: KubeflowConfig) -> Iterator[RuleError]:
    """Yields what does not fit `config.platform`."""
    yield from (_broken_on_vertex if config.platform == "vertex" else _broken_on_kubeflow)(config)
    for key, task in _tasks(config):
        is_of_vertex = task.resources.gpu_type.startswith(_VERTEX_GPUS)
        if task.resources.gpu and is_of_vertex != (config.platform == "vertex"):
            names = "NVIDIA_L4" if config.platform == "vertex" else "nvidia.com/gpu"
            message = f"{config.platform} names GPUs as in {names}"
            yield RuleError((*key, "resources", "gpu_type"), message)


def _broken_on_kubeflow(config: KubeflowConfig) -> Iterator[RuleError]:
    storage = config.storage
    if storage and storage.claim is None:
        yield RuleError(("kubeflow", "storage", "claim"), "is required")
    if storage and storage.path.startswith(_BUCKETS):
        message = "only Vertex AI mounts buckets below /gcs; choose another directory"
        yield RuleError(("kubeflow", "storage", "path"), message)


def _broken_on_vertex(config: KubeflowConfig) -> Iterator[RuleError]:
    storage = config.storage
    if storage and storage.claim is not None:
        yield RuleError(("kubeflow", "storage", "claim"), "Vertex AI has no claims; leave it out")
    if storage and not storage.path.startswith(_BUCKETS):
        message = "must be /gcs/BUCKET or a folder below it, which Vertex AI mounts"
        yield RuleError(("kubeflow", "storage", "path"), message)
    if not (config.pipeline_root or "").startswith("gs://"):
        message = "must be an address gs://BUCKET/FOLDER on Vertex AI"
        yield RuleError(("kubeflow", "pipeline_root"), message)
    if config.report:
        message = "must be false: Vertex AI does not tell tasks the id of their run"
        yield RuleError(("kubeflow", "report"), message)
    if config.workers != WorkersConfig():
        message = "Vertex AI has no pods for workers: they are processes of the Trainer's machine"
        yield RuleError(("kubeflow", "workers"), message)
    for key, task in _tasks(config):
        for name in type(task).model_fields:
            if name not in _FOR_TASKS and getattr(task, name) != getattr(TaskConfig(), name):
                message = f"Vertex AI has only {', '.join(_FOR_TASKS)} for tasks"
                yield RuleError((*key, name), message)


def _tasks(config: KubeflowConfig) -> Iterator[tuple[Key, TaskConfig]]:
    yield ("kubeflow", "defaults"), config.defaults
    for name, task in config.components.items():
        yield ("kubeflow", "components", name), task
