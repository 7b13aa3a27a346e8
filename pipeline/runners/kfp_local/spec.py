"""A compiled pipeline as Kubeflow Pipelines reads it: two YAML documents, taken apart into tasks.

What it would refuse or pass over is refused here too, by name, so that a file which runs here holds
nothing that only works here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.expansion import expand_variables
from pipeline.runners.kfp_local.values import check_kind

Json = dict[str, Any]

SCHEMA_VERSION = "2.1.0"
_UNSUPPORTED = ("iteratorPolicy", "parameterIterator", "artifactIterator", "triggerPolicy")


@dataclass(frozen=True)
class Volume:
    """A claim that a task sees as a directory."""

    claim: str
    path: str


@dataclass(frozen=True)
class Retries:
    """How often a failed task starts again, and after how many seconds.

    `longest` is Argo's `maxDuration`: of all attempts together, from the start of the first.
    """

    count: int = 0
    backoff: float = 0.0
    factor: float = 1.0
    longest: float = float("inf")

    def pause(self, attempt: int) -> float:
        """The seconds between the attempt, counted from 0, and the next one."""
        return self.backoff * self.factor**attempt


@dataclass(frozen=True)
class Task:
    """One task with its component, its container and what Kubernetes is told about it."""

    name: str
    spec: Json
    component: Json
    container: Json
    platform: Json

    @property
    def upstream(self) -> set[str]:
        """The tasks that have to end before."""
        inputs = self.spec.get("inputs", {})
        producers = {
            source["producerTask"]
            for kind in inputs.values()
            for given in kind.values()
            for source in given.values()
            if isinstance(source, dict) and "producerTask" in source
        }
        return producers | set(self.spec.get("dependentTasks", ()))

    @property
    def cached(self) -> bool:
        return bool(self.spec.get("cachingOptions", {}).get("enableCache", False))

    @property
    def command(self) -> list[str]:
        """Command and arguments, placeholders and all."""
        return [*self.container.get("command", ()), *self.container.get("args", ())]

    @property
    def environment(self) -> dict[str, str]:
        """As the container sees it: each variable may name those before it."""
        variables: dict[str, str] = {}
        for entry in self.container.get("env", ()):
            variables[entry["name"]] = expand_variables(entry["value"], variables)
        return variables

    @property
    def volumes(self) -> list[Volume]:
        mounts = self.platform.get("pvcMount", ())
        return [Volume(_claim(mount), mount["mountPath"]) for mount in mounts]

    @property
    def deadline(self) -> float | None:
        """The seconds after which Kubernetes ends the pod."""
        seconds = self.platform.get("activeDeadlineSeconds")
        return float(seconds) if seconds else None

    @property
    def retries(self) -> Retries:
        policy = self.spec.get("retryPolicy", {})
        return Retries(
            int(policy.get("maxRetryCount", 0)),
            _seconds(policy.get("backoffDuration", "0s")),
            float(policy.get("backoffFactor", 1.0)),
            _seconds(policy.get("backoffMaxDuration", "inf")),
        )

    def inputs(self, kind: str) -> Json:
        """The definitions of its input `artifacts` or `parameters`."""
        return dict(self.component.get("inputDefinitions", {}).get(kind, {}))

    def outputs(self, kind: str) -> Json:
        """The definitions of its output `artifacts` or `parameters`."""
        return dict(self.component.get("outputDefinitions", {}).get(kind, {}))


@dataclass(frozen=True)
class PipelineFile:
    """A whole compiled pipeline."""

    name: str
    root: str
    parameters: Mapping[str, Any]
    """Those of a run, with their defaults; None where there is none."""
    tasks: tuple[Task, ...]
    """In an order in which they can run."""


def read_pipeline(path: Path) -> PipelineFile:
    """The compiled file.

    Raises:
      ConfigError: it is none, or uses what this executor or the backend does not have.
    """
    try:
        documents = list(YAML(typ="safe", pure=True).load_all(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, YAMLError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    if not documents or not isinstance(documents[0], dict) or "root" not in documents[0]:
        raise ConfigError(f"{path}: not a compiled pipeline")
    spec, *others = documents
    if spec.get("schemaVersion") != SCHEMA_VERSION:
        raise ConfigError(f"{path}: schemaVersion is {spec.get('schemaVersion')}, not 2.1.0")
    try:
        return _pipeline(spec, others[0] if others else {}, path)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}: something is missing, or not what it should be: "
            f"{type(error).__name__}: {error}",
            "compile it anew",
        ) from None


def _pipeline(spec: Json, platform: Json, path: Path) -> PipelineFile:
    tasks = {task.name: task for task in _tasks(spec, platform)}
    pipeline = PipelineFile(
        name=_require_text(spec["pipelineInfo"]["name"]),
        root=_require_text(spec.get("defaultPipelineRoot", "")),
        parameters=_parameters(spec["root"]),
        tasks=tuple(_in_order(tasks, path)),
    )
    for task in pipeline.tasks:
        _check_references(task, tasks, pipeline.parameters)
    return pipeline


def _check_references(task: Task, tasks: Mapping[str, Task], parameters: Mapping[str, Any]) -> None:
    """Looks up whatever a run will, before anything runs."""
    environment = task.environment
    for text in (task.container["image"], *task.command, *environment, *environment.values()):
        _require_text(text)
    for volume in task.volumes:
        _require_text(volume.path)
    _ = task.retries, task.deadline, task.cached
    for definition in (*task.inputs("parameters").values(), *task.outputs("parameters").values()):
        check_kind(definition["parameterType"])
    for output in task.outputs("artifacts").values():
        _ = output["artifactType"]
    given = task.spec.get("inputs", {})
    for source in given.get("artifacts", {}).values():
        made = source["taskOutputArtifact"]
        _ = tasks[made["producerTask"]].outputs("artifacts")[made["outputArtifactKey"]]
    for name, source in given.get("parameters", {}).items():
        _ = task.inputs("parameters")[name]
        if "componentInputParameter" in source:
            _ = parameters[source["componentInputParameter"]]
        elif "taskOutputParameter" in source:
            made = source["taskOutputParameter"]
            _ = tasks[made["producerTask"]].outputs("parameters")[made["outputParameterKey"]]
        elif "constant" not in source.get("runtimeValue", {}):
            raise ConfigError(f"task {task.name}: input {name} has a source that is not supported")


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _parameters(root: Json) -> dict[str, Any]:
    definitions = root.get("inputDefinitions", {}).get("parameters", {})
    return {name: definition.get("defaultValue") for name, definition in definitions.items()}


def _tasks(spec: Json, platform: Json) -> Iterator[Task]:
    executors = spec["deploymentSpec"]["executors"]
    kubernetes = platform.get("platforms", {}).get("kubernetes", {}).get("deploymentSpec", {})
    for name, task in spec["root"]["dag"]["tasks"].items():
        for feature in _UNSUPPORTED:
            if feature in task:
                raise ConfigError(f"task {name}: {feature} is not supported")
        component = spec["components"][task["componentRef"]["name"]]
        label = component.get("executorLabel")
        kinds = executors.get(label, {})
        if list(kinds) != ["container"]:
            raise ConfigError(f"task {name}: {', '.join(kinds) or 'no'} executors not implemented")
        settings = kubernetes.get("executors", {}).get(label, {})
        yield Task(name, task, component, kinds["container"], settings)


def _in_order(tasks: Mapping[str, Task], path: Path) -> list[Task]:
    for task in tasks.values():
        for name in sorted(task.upstream - set(tasks)):
            raise ConfigError(f"{path}: task {task.name} waits for {name}, which is no task")
    sorter = TopologicalSorter({name: sorted(task.upstream) for name, task in tasks.items()})
    try:
        return [tasks[name] for name in sorter.static_order()]
    except CycleError as error:
        raise ConfigError(f"{path}: tasks wait for each other: {error.args[1]}") from None


def _claim(mount: Json) -> str:
    """The claim's name; newer files have it inside `pvcNameParameter`."""
    inner = mount.get("pvcNameParameter", {}).get("runtimeValue", {}).get("constant")
    return str(mount.get("constant") or inner or "")


def _seconds(duration: str) -> float:
    """Of a protobuf Duration such as `30s`."""
    return float(str(duration).removesuffix("s"))
