"""The section `kubeflow`: how the pipeline runs on Kubeflow Pipelines."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from pipeline.config.base import BrokenRulesError, Key, RuleError, Section, matching
from pipeline.config.kubernetes.names import StoragePath, VolumeName, overlap
from pipeline.config.kubernetes.pods import (
    Image,
    PodConfig,
    RequestsConfig,
    ResourcesConfig,
    RetriesConfig,
    TaskConfig,
    VolumeConfig,
    WorkersConfig,
    cores,
    gigabytes,
)
from pipeline.config.kubernetes.vertex import broken_by_platform
from pipeline.config.secrets import looks_secret
from pipeline.core.contracts import Node

_REPORT = "Report"
NODES = ("Prepare", *Node.ALL, _REPORT)
"""The components that a pipeline can have, and the tasks that prepare a run and write its page."""

_VERDICTS = (Node.ANOMALY_GATE, Node.PUSHER)
"""The tasks that fail by a verdict: of the gate, and of the Evaluator, which the Pusher reports.
A retry gives the same verdict."""
_FOR_REPORT = {
    "resources": ResourcesConfig(cpu="1", memory="2Gi"),
    "requests": RequestsConfig(cpu="250m", memory="500Mi"),
    "retries": RetriesConfig(),
    "shared_memory": None,
}
"""Settings of the exit task. The defaults are sized for components, and may ask for a GPU."""

_KEY_OF_MOUNT = {
    "Secret": "secret_files",
    "ConfigMap": "config_map_files",
    "scratch": "scratch",
}

_ROOT = r"(minio|s3|gs)://[^/\s]+(/\S*)?"
_ROOT_FORM = "an address that begins with minio://, s3:// or gs:// and has no spaces"


class StorageConfig(Section):
    """The volume that all tasks share."""

    claim: VolumeName | None = None
    """The PersistentVolumeClaim, which Kubeflow needs; if tasks run on several nodes, it must be \
ReadWriteMany."""
    path: StoragePath = "/mnt/pipeline"
    """The directory where every task mounts the volume. On Vertex AI, `/gcs/BUCKET` or a folder \
below it: the bucket is mounted in every task."""

    def as_volume(self) -> VolumeConfig:
        """Returns the volume of a pod; the configuration is for Kubeflow."""
        assert self.claim is not None
        return VolumeConfig(claim=self.claim, path=self.path)


class KubeflowConfig(Section):
    """How the pipeline runs on Kubeflow; a local run ignores this section."""

    platform: Literal["kubeflow", "vertex"] = "kubeflow"
    """What runs the compiled file: open-source Kubeflow Pipelines, or Vertex AI Pipelines."""
    image: Image | None = None
    """The container image of all tasks; `deploy` replaces its tag by a digest."""
    storage: StorageConfig | None = None
    """The volume for served models and training backups, which outlive a run."""
    pipeline_root: Annotated[str, matching(_ROOT, _ROOT_FORM)] | None = None
    """Where artifacts go, such as `s3://bucket/folder` (default: Kubeflow's own setting)."""
    report: bool = True
    """Whether an exit task writes the page of the run; Kubeflow Pipelines before 2.4.1 would show \
failed runs as succeeded then."""
    cache: bool = True
    """Whether Kubeflow skips a task that already ran on equal inputs."""
    defaults: TaskConfig = TaskConfig()
    """The pod settings of all tasks; `retries` does not apply to `AnomalyGate`, `Pusher` and \
`Report`, which has resources of its own."""
    components: dict[str, TaskConfig] = {}
    """The pod settings of single tasks, by component, `Prepare` or `Report`. A key here overrides \
the key in `defaults`; `env` is merged variable by variable."""
    workers: WorkersConfig = WorkersConfig()
    """The pods of the training workers."""

    @field_validator("components")
    @classmethod
    def _complete_from_defaults(
        cls, given: dict[str, TaskConfig], info: ValidationInfo
    ) -> dict[str, TaskConfig]:
        for name in given:
            if name not in NODES:
                near = difflib.get_close_matches(name, NODES, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(NODES)}"
                raise ValueError(f"there is no component {name}; {hint}")
        defaults = info.data.get("defaults") or TaskConfig()
        return {name: _over(_defaults_of(name, defaults), own) for name, own in given.items()}

    @model_validator(mode="after")
    def _check_pods(self) -> KubeflowConfig:
        broken: dict[tuple[Key, str], RuleError] = {}
        for error in broken_by_platform(self):
            broken[error.key, str(error)] = error
        for key, pod in self._pods().items():
            for error in self._broken_rules(key, pod):
                # A mistake in `defaults` would be reported again for each component.
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
                at_fault = _KEY_OF_MOUNT.get(other.partition(" ")[0], "volumes")
                message = f"one pod cannot mount both {one} at {here} and {other} at {there}"
                yield RuleError((*key, at_fault), message)
                break
        if isinstance(pod, TaskConfig):
            yield from self._broken_by_task(key, pod)

    def _mounts(self, pod: PodConfig) -> list[tuple[str, str]]:
        """Returns what the pod mounts and where, ConfigMaps and Secrets last."""
        mounts = [(f"claim {volume.claim}", volume.path) for volume in pod.volumes]
        storage = self.storage
        if storage and storage.claim and (f"claim {storage.claim}", storage.path) not in mounts:
            mounts.append(("kubeflow.storage", storage.path))
        mounts += [(f"scratch volume {i + 1}", s.path) for i, s in enumerate(pod.scratch)]
        mounts += [(f"ConfigMap {name}", path) for name, path in pod.config_map_files.items()]
        return mounts + [(f"Secret {name}", path) for name, path in pod.secret_files.items()]

    def _broken_by_task(self, key: Key, task: TaskConfig) -> Iterator[RuleError]:
        names = [self.storage.claim] if self.storage and self.storage.claim else []
        names += [volume.claim for volume in task.volumes]
        names += [*task.secret_files, *task.config_map_files]
        if twice := _first_twice(names):
            yield RuleError(
                (*key, "volumes"),
                f"Kubeflow cannot mount {twice} twice in a pod; kubeflow.storage counts too",
            )
        variables = [*task.env, *(v for entries in task.secrets.values() for v in entries.values())]
        if twice := _first_twice(variables):
            yield RuleError((*key, "secrets"), f"the variable {twice} would be set twice")
        requests = (cores(task.requests.cpu), gigabytes(task.requests.memory))
        limits = (cores(task.resources.cpu), gigabytes(task.resources.memory))
        for name, request, limit in zip(("cpu", "memory"), requests, limits, strict=True):
            if request is not None and limit is not None and request > limit:
                yield RuleError((*key, "requests", name), f"is more than resources.{name}")

    def task(self, node: str) -> TaskConfig:
        """Returns the pod settings of a component's task."""
        return self.components.get(node) or _defaults_of(node, self.defaults)


def _defaults_of(node: str, defaults: TaskConfig) -> TaskConfig:
    """Returns the settings of a component's task without settings of its own."""
    if node == _REPORT:
        return defaults.model_copy(update=_FOR_REPORT)
    if node in _VERDICTS:
        return defaults.model_copy(update={"retries": RetriesConfig()})
    return defaults


def _open_secrets(key: Key, pod: PodConfig) -> Iterator[RuleError]:
    """Yields an error for each variable that seems to hold a secret rather than a file's path."""
    directories = pod.secret_files.values()
    for name, value in pod.env.items():
        is_file = any(PurePosixPath(value).is_relative_to(path) for path in directories)
        if looks_secret(name) and not is_file:
            yield RuleError(
                (*key, "env", name),
                f"{name} looks like a secret; put it into a Kubernetes Secret and name that in "
                "`secrets`, or in `secret_files` if the variable names a file",
            )


def _first_twice(names: list[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)


def _over(defaults: TaskConfig, own: TaskConfig) -> TaskConfig:
    """Returns `own` completed by `defaults`; completing twice changes nothing."""
    update: dict[str, Any] = {name: getattr(own, name) for name in own.model_fields_set}
    update["env"] = {**defaults.env, **own.env}
    return defaults.model_copy(update=update)
