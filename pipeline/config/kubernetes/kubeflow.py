"""What differs where the pipeline runs on Kubeflow."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import ValidationInfo, field_validator, model_validator

from pipeline.config.base import BrokenRulesError, Key, RuleError, Section, matching
from pipeline.config.kubernetes.names import MountPath, VolumeName, overlap
from pipeline.config.kubernetes.pods import (
    Image,
    PodConfig,
    TaskConfig,
    WorkersConfig,
    cores,
    gigabytes,
)
from pipeline.config.secrets import looks_secret

NODES = (
    "Prepare", "ExampleGen", "Reference", "StatisticsGen", "SchemaGen", "SchemaCurator",
    "ExampleValidator", "AnomalyReport", "AnomalyGate", "Transform", "WarmStart", "Tuner",
    "Trainer", "Baseline", "Evaluator", "Pusher",
)  # fmt: skip
"""The components that may be part of a pipeline, and the task that prepares them."""

_ROOT = r"(minio|s3|gs)://[^/\s]+(/\S*)?"
_ROOT_FORM = "a place that begins with minio://, s3:// or gs://, without blanks"


class StorageConfig(Section):
    """A volume that all tasks share."""

    claim: VolumeName
    """The PersistentVolumeClaim; with tasks on several nodes it has to be ReadWriteMany."""
    path: MountPath = "/mnt/pipeline"
    """The directory where every task sees it."""


class KubeflowConfig(Section):
    """How the pipeline runs on Kubeflow; elsewhere it means nothing."""

    image: Image | None = None
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
        broken: dict[tuple[Key, str], RuleError] = {}
        for key, pod in self._pods().items():
            for error in self._broken_rules(key, pod):
                # What is wrong in `defaults` is wrong in all that are completed from them.
                broken.setdefault((error.key[len(key) :], str(error)), error)
        if broken:
            raise BrokenRulesError(broken.values())
        return self

    def _pods(self) -> dict[Key, PodConfig]:
        return {
            ("kubeflow", "defaults"): self.defaults,
            **{("kubeflow", "components", name): task for name, task in self.components.items()},
            ("kubeflow", "workers"): self.workers,
        }

    def _broken_rules(self, key: Key, pod: PodConfig) -> Iterator[RuleError]:
        yield from _open_secrets(key, pod)
        for (one, here), (other, there) in itertools.combinations(self._mounts(pod), 2):
            if overlap(here, there):
                at_fault = "secret_files" if other.startswith("Secret") else "volumes"
                message = f"one pod cannot have both {here} and {there}, of {one} and {other}"
                yield RuleError((*key, at_fault), message)
                break
        if isinstance(pod, TaskConfig):
            yield from self._broken_by_task(key, pod)

    def _mounts(self, pod: PodConfig) -> list[tuple[str, str]]:
        """What is mounted, and where; the Secrets last."""
        mounts = [(f"claim {volume.claim}", volume.path) for volume in pod.volumes]
        storage = self.storage
        if storage and (f"claim {storage.claim}", storage.path) not in mounts:
            mounts.append(("kubeflow.storage", storage.path))
        return mounts + [(f"Secret {name}", path) for name, path in pod.secret_files.items()]

    def _broken_by_task(self, key: Key, task: TaskConfig) -> Iterator[RuleError]:
        names = [self.storage.claim] if self.storage else []
        names += [*(volume.claim for volume in task.volumes), *task.secret_files]
        if twice := _first_twice(names):
            yield RuleError(
                (*key, "volumes"), f"Kubeflow cannot mount {twice} twice in a pod, storage included"
            )
        variables = [*task.env, *(v for entries in task.secrets.values() for v in entries.values())]
        if twice := _first_twice(variables):
            yield RuleError((*key, "secrets"), f"the variable {twice} would be set twice")
        promised = (cores(task.requests.cpu), gigabytes(task.requests.memory))
        bounds = (cores(task.resources.cpu), gigabytes(task.resources.memory))
        for what, more, bound in zip(("cpu", "memory"), promised, bounds, strict=True):
            if more is not None and bound is not None and more > bound:
                yield RuleError((*key, "requests", what), f"is more than resources.{what}")

    def task(self, node: str) -> TaskConfig:
        """The pod of a component."""
        return self.components.get(node, self.defaults)


def _open_secrets(key: Key, pod: PodConfig) -> Iterator[RuleError]:
    """Variables that hold a secret, and not just the place of its file."""
    directories = pod.secret_files.values()
    for name, value in pod.env.items():
        is_file = any(PurePosixPath(value).is_relative_to(path) for path in directories)
        if looks_secret(name) and not is_file:
            yield RuleError(
                (*key, "env", name),
                f"{name} looks like a secret; name a Secret of Kubernetes that has it, in "
                "`secrets`, or in `secret_files` if the variable names a file",
            )


def _first_twice(names: list[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)


def _over(defaults: TaskConfig, own: TaskConfig) -> TaskConfig:
    """`own`, completed: a configuration that was completed before stays as it is."""
    update: dict[str, Any] = {name: getattr(own, name) for name in own.model_fields_set}
    update["env"] = {**defaults.env, **own.env}
    return defaults.model_copy(update=update)
