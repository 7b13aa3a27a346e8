"""What differs where the pipeline runs on Kubeflow."""

from __future__ import annotations

import difflib
from typing import Annotated, Any

from pydantic import ValidationInfo, field_validator, model_validator

from pipeline.config.base import Section, matching
from pipeline.config.kubernetes import Name, Path, TaskConfig, WorkersConfig, cores, gigabytes

NODES = (
    "Prepare", "ExampleGen", "Reference", "StatisticsGen", "SchemaGen", "SchemaCurator",
    "ExampleValidator", "AnomalyReport", "AnomalyGate", "Transform", "WarmStart", "Tuner",
    "Trainer", "Baseline", "Evaluator", "Pusher",
)  # fmt: skip
"""The components that may be part of a pipeline, and the task that prepares them."""

_IMAGE = (
    r"[a-zA-Z0-9]([\w.-]*[a-zA-Z0-9])?(:\d+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
    r"(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
_ROOT = r"(minio|s3|gs)://[^/\s]+(/\S*)?"
_ROOT_FORM = "a place that begins with minio://, s3:// or gs://, without blanks"
_TAKEN = ("/gcs", "/minio", "/s3", "/kfp-launcher", "/tmp", "/dev", "/proc", "/sys", "/etc")


class StorageConfig(Section):
    """A volume that all tasks share."""

    claim: Name
    """The PersistentVolumeClaim; with tasks on several nodes it has to be ReadWriteMany."""
    path: Path = "/mnt/pipeline"
    """The directory where every task sees it."""

    @field_validator("path")
    @classmethod
    def _is_free(cls, path: str) -> str:
        path = path.rstrip("/")
        if path in _TAKEN:
            raise ValueError(f"{path} is taken by Kubeflow or the system; name another directory")
        return path


class KubeflowConfig(Section):
    """How the pipeline runs on Kubeflow; elsewhere it means nothing."""

    image: Annotated[str, matching(_IMAGE, "an image, such as host/name:tag")] | None = None
    """The image that all tasks run; `deploy` writes it with its digest."""
    storage: StorageConfig | None = None
    """The volume with what outlives a run: the served models and the training backups."""
    pipeline_root: Annotated[str, matching(_ROOT, _ROOT_FORM)] | None = None
    """Where artifacts go, such as `s3://bucket/folder`; where Kubeflow puts them if left out."""
    cache: bool = True
    """Whether a task that ran on equal inputs is left out."""
    defaults: TaskConfig = TaskConfig()
    """The pods of all tasks."""
    components: dict[str, TaskConfig] = {}
    """The pods of single tasks, by component, or `Prepare`; a key that is set here counts instead \
of that in `defaults`, of `env` each variable."""
    workers: WorkersConfig = WorkersConfig()
    """The pods in which `training.workers` train."""

    @field_validator("components")
    @classmethod
    def _complete(cls, given: dict[str, TaskConfig], info: ValidationInfo) -> dict[str, TaskConfig]:
        for name in given:
            if name not in NODES:
                near = difflib.get_close_matches(name, NODES, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(NODES)}"
                raise ValueError(f"there is no component {name}; {hint}")
        defaults = info.data.get("defaults") or TaskConfig()
        return {name: _over(defaults, own) for name, own in given.items()}

    @model_validator(mode="after")
    def _pods_are_possible(self) -> KubeflowConfig:
        storage = [self.storage.claim] if self.storage else []
        for place, task in (("defaults", self.defaults), *self.components.items()):
            claims = [*storage, *(volume.claim for volume in task.volumes)]
            if twice := next((claim for claim in claims if claims.count(claim) > 1), None):
                raise ValueError(f"{place}: Kubeflow cannot mount {twice} twice in a pod")
            promised = (cores(task.requests.cpu), gigabytes(task.requests.memory))
            bounds = (cores(task.resources.cpu), gigabytes(task.resources.memory))
            for what, more, bound in zip(("cpu", "memory"), promised, bounds, strict=True):
                if more is not None and bound is not None and more > bound:
                    raise ValueError(f"{place}: requests.{what} is more than resources.{what}")
        return self

    def task(self, node: str) -> TaskConfig:
        """The pod of a component."""
        return self.components.get(node, self.defaults)


def _over(defaults: TaskConfig, own: TaskConfig) -> TaskConfig:
    """`own`, completed: a configuration that was completed before stays as it is."""
    update: dict[str, Any] = {name: getattr(own, name) for name in own.model_fields_set}
    update["env"] = {**defaults.env, **own.env}
    return defaults.model_copy(update=update)
