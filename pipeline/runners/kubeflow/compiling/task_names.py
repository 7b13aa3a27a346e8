"""The names that the backend takes: kebab case, as Kubernetes wants them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, executors_of, tasks_of

PREPARE = "Prepare"
"""The first task; it is no component."""

_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LEGAL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PIPELINE = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")


def task_name(node: str) -> str:
    """The task's name of a component, such as `example-gen` of `ExampleGen`."""
    return re.sub(r"[-_. ]+", "-", _WORD_BEGINS.sub("-", node)).lower()


def executor_name(node: str) -> str:
    """The name of a task's executor."""
    return f"exec-{task_name(node)}"


def refuse_illegal_names(pipeline: str, nodes: Iterable[str]) -> None:
    """Names what the backend would refuse, or would take for one and the same task.

    Raises:
      ConfigError: there is such a name.
    """
    if not _PIPELINE.fullmatch(pipeline):
        raise ConfigError(f"name: {pipeline} is no name for Kubeflow: {_PIPELINE.pattern}")
    seen: dict[str, str] = {}
    for node in nodes:
        name = task_name(node)
        if not _LEGAL.fullmatch(name):
            raise ConfigError(
                f"the component {node} cannot be a task of Kubeflow: {name} is no name"
            )
        if name in seen:
            raise ConfigError(f"the components {seen[name]} and {node} would both be called {name}")
        seen[name] = node


@changes_a_copy
def rename_to_kebab_case(spec: Spec) -> None:
    """Argo refuses `_` in the names of tasks, and with them in everything that refers to them."""
    labels = {c["executorLabel"]: executor_name(node) for node, c in spec["components"].items()}
    executors = executors_of(spec)
    spec["deploymentSpec"]["executors"] = {labels[k]: v for k, v in executors.items()}
    for component in spec["components"].values():
        component["executorLabel"] = labels[component["executorLabel"]]
    spec["components"] = {_component_name(k): v for k, v in spec["components"].items()}
    spec["root"]["dag"]["tasks"] = {task_name(k): v for k, v in tasks_of(spec).items()}
    for task in tasks_of(spec).values():
        _rename_references(task)


def _component_name(node: str) -> str:
    return f"comp-{task_name(node)}"


def _rename_references(task: Spec) -> None:
    # Producers are found by the name in taskInfo, which is more than what is shown.
    task["taskInfo"]["name"] = task_name(task["taskInfo"]["name"])
    task["componentRef"]["name"] = _component_name(task["componentRef"]["name"])
    if "dependentTasks" in task:
        task["dependentTasks"] = sorted(map(task_name, task["dependentTasks"]))
    for kind, source in (
        ("artifacts", "taskOutputArtifact"),
        ("parameters", "taskOutputParameter"),
    ):
        for given in task.get("inputs", {}).get(kind, {}).values():
            if source in given:
                given[source]["producerTask"] = task_name(given[source]["producerTask"])
