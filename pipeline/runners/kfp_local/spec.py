"""Reads a compiled pipeline, two YAML documents, as Kubeflow Pipelines does.

Features that Kubeflow would refuse or ignore are refused here with their name. So a file that runs
here does not depend on anything that a cluster lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from pipeline.config.yaml_values import read_values
from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.expansion import expand_variables
from pipeline.runners.kfp_local.sub_dags import inline_sub_dags
from pipeline.runners.kfp_local.values import check_kind

Json = dict[str, Any]

SCHEMA_VERSION = "2.1.0"
_UNSUPPORTED = ("iteratorPolicy", "parameterIterator", "artifactIterator")
_EXIT = {"strategy": "ALL_UPSTREAM_TASKS_COMPLETED"}
"""The trigger policy of an exit task."""
_RUN_ID = "metadata.labels['pipeline/runid']"
"""The only field of a pod that a variable may hold here: the label with the run's id."""


@dataclass(frozen=True)
class Volume:
    """A PersistentVolumeClaim and the directory where a task mounts it."""

    claim: str
    path: str


@dataclass(frozen=True)
class Retries:
    """How often a failed task is retried, and the pauses in seconds.

    `longest` is Argo's `maxDuration`: it bounds all attempts together, from the start of the first.
    """

    count: int = 0
    backoff: float = 0.0
    factor: float = 1.0
    longest: float = float("inf")

    def pause(self, attempt: int) -> float:
        """Returns the seconds between an attempt, counted from 0, and the next attempt."""
        return self.backoff * self.factor**attempt


@dataclass(frozen=True)
class Task:
    """One task with its component, its container and its Kubernetes settings."""

    name: str
    spec: Json
    component: Json
    container: Json
    platform: Json
    run: str = ""
    """The id of the run, which Kubeflow writes on the pod as a label."""

    @property
    def is_exit(self) -> bool:
        """Whether the task runs when its upstream tasks have ended, also after a failure."""
        return "triggerPolicy" in self.spec

    @property
    def upstream(self) -> set[str]:
        """The tasks that have to end before this task starts."""
        inputs = self.spec.get("inputs", {})
        producers = {
            source["producerTask"]
            for kind in inputs.values()
            for selector in kind.values()
            for source in selector.values()
            if isinstance(source, dict) and "producerTask" in source
        }
        return producers | set(self.spec.get("dependentTasks", ()))

    @property
    def is_cacheable(self) -> bool:
        """Whether the task's caching options enable the cache."""
        return bool(self.spec.get("cachingOptions", {}).get("enableCache", False))

    @property
    def command(self) -> list[str]:
        """Command and arguments, with their placeholders."""
        return [*self.container.get("command", ()), *self.container.get("args", ())]

    @property
    def environment(self) -> dict[str, str]:
        """The container's variables; a value may refer to variables listed before it."""
        variables: dict[str, str] = {}
        for entry in self.container.get("env", ()):
            variables[entry["name"]] = expand_variables(entry["value"], variables)
        fields = self.platform.get("fieldPathAsEnv", ())
        return variables | {field["name"]: self.run for field in fields}

    @property
    def volumes(self) -> list[Volume]:
        mounts = self.platform.get("pvcMount", ())
        return [Volume(_claim(mount), mount["mountPath"]) for mount in mounts]

    @property
    def deadline(self) -> float | None:
        """The seconds after which Kubernetes ends the pod; None without a deadline."""
        seconds = self.platform.get("activeDeadlineSeconds")
        return float(seconds) if seconds else None

    @property
    def retries(self) -> Retries:
        policy = self.spec.get("retryPolicy", {})
        return Retries(
            int(policy.get("maxRetryCount", 0)),
            _parse_seconds(policy.get("backoffDuration", "0s")),
            float(policy.get("backoffFactor", 1.0)),
            _parse_seconds(policy.get("backoffMaxDuration", "inf")),
        )

    def inputs(self, kind: str) -> Json:
        """Returns the definitions of the input `artifacts` or `parameters`."""
        return dict(self.component.get("inputDefinitions", {}).get(kind, {}))

    def outputs(self, kind: str) -> Json:
        """Returns the definitions of the output `artifacts` or `parameters`."""
        return dict(self.component.get("outputDefinitions", {}).get(kind, {}))


@dataclass(frozen=True)
class PipelineFile:
    """A whole compiled pipeline."""

    name: str
    root: str
    parameters: Mapping[str, Any]
    """The run parameters with their defaults; None for a parameter without a default."""
    tasks: tuple[Task, ...]
    """The tasks in topological order, exit tasks last."""


def read_pipeline(path: Path) -> PipelineFile:
    """Reads a compiled file.

    Raises:
      ConfigError: the file is not a compiled pipeline, is damaged, or uses a feature that this
        executor or the backend lacks.
    """
    try:
        documents = read_values(path.read_text(encoding="utf-8"))
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
            f"{path}: an entry is missing or malformed: {type(error).__name__}: {error}",
            "compile the pipeline again",
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
    """Looks up every entry that a run will read, so that a damaged file fails before any task."""
    environment = task.environment
    for text in (task.container["image"], *task.command, *environment, *environment.values()):
        _require_text(text)
    for volume in task.volumes:
        _require_text(volume.path)
    for field in task.platform.get("fieldPathAsEnv", ()):
        if field["fieldPath"] != _RUN_ID:
            raise ConfigError(f"task {task.name}: {field['fieldPath']} is not supported")
    _ = task.retries, task.deadline, task.is_cacheable
    for definition in (*task.inputs("parameters").values(), *task.outputs("parameters").values()):
        check_kind(definition["parameterType"])
    for output in task.outputs("artifacts").values():
        _ = output["artifactType"]
    inputs = task.spec.get("inputs", {})
    for source in inputs.get("artifacts", {}).values():
        output = source["taskOutputArtifact"]
        _ = tasks[output["producerTask"]].outputs("artifacts")[output["outputArtifactKey"]]
    for name, source in inputs.get("parameters", {}).items():
        _ = task.inputs("parameters")[name]
        if "componentInputParameter" in source:
            _ = parameters[source["componentInputParameter"]]
        elif "taskOutputParameter" in source:
            output = source["taskOutputParameter"]
            _ = tasks[output["producerTask"]].outputs("parameters")[output["outputParameterKey"]]
        elif "constant" not in source.get("runtimeValue", {}):
            raise ConfigError(f"task {task.name}: input {name} has a source that is not supported")


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _parameters(root: Json) -> dict[str, Any]:
    definitions = root.get("inputDefinitions", {}).get("parameters", {})
    return {name: definition.get("defaultValue") for name, definition in definitions.items()}


def _tasks(spec: Json, platform: Json) -> Iterator[Task]:
    executors = spec["deploymentSpec"]["executors"]
    kubernetes = platform.get("platforms", {}).get("kubernetes", {}).get("deploymentSpec", {})
    for name, task in inline_sub_dags(spec).items():
        for feature in _UNSUPPORTED:
            if feature in task:
                raise ConfigError(f"task {name}: {feature} is not supported")
        if task.get("triggerPolicy", _EXIT) != _EXIT:
            raise ConfigError(f"task {name}: this triggerPolicy is not supported")
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
            raise ConfigError(f"{path}: task {task.name} depends on {name}, which is missing")
    sorter = TopologicalSorter({name: sorted(task.upstream) for name, task in tasks.items()})
    try:
        ordered = [tasks[name] for name in sorter.static_order()]
        return sorted(ordered, key=lambda task: task.is_exit)
    except CycleError as error:
        raise ConfigError(f"{path}: tasks depend on each other: {error.args[1]}") from None


def _claim(mount: Json) -> str:
    """Returns the claim's name. Newer files have the name inside `pvcNameParameter`."""
    inner = mount.get("pvcNameParameter", {}).get("runtimeValue", {}).get("constant")
    return str(mount.get("constant") or inner or "")


def _parse_seconds(duration: str) -> float:
    """Returns the seconds of a protobuf Duration such as `30s`."""
    return float(str(duration).removesuffix("s"))
