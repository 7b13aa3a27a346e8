"""Names that the backend accepts: kebab case, as Kubernetes requires."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, executors_of, tasks_of

PREPARE = "Prepare"
"""The node id of the first task, which is not a component."""
REPORT = "Report"
"""The node id of the exit task, which is not a component."""

_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LEGAL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PIPELINE = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")


def task_name(node: str) -> str:
    """Returns the task name of a component, such as `example-gen` for `ExampleGen`."""
    return re.sub(r"[-_. ]+", "-", _WORD_BEGINS.sub("-", node)).lower()


def executor_name(node: str) -> str:
    """Returns the name of the executor of a component's task."""
    return f"exec-{task_name(node)}"


def component_name(node: str) -> str:
    """Returns the name of a component in the specification."""
    return f"comp-{task_name(node)}"


def refuse_illegal_names(pipeline: str, nodes: Iterable[str]) -> None:
    """Checks the names of the pipeline and of its nodes.

    Raises:
      ConfigError: the backend would refuse a name, or two nodes would get the same task name.
    """
    if not _PIPELINE.fullmatch(pipeline):
        raise ConfigError(f"name: {pipeline} is not legal on Kubeflow: {_PIPELINE.pattern}")
    seen: dict[str, str] = {}
    for node in nodes:
        name = task_name(node)
        if not _LEGAL.fullmatch(name):
            raise ConfigError(
                f"the component {node} cannot be a task of Kubeflow: {name} is not a legal name"
            )
        if name in seen:
            raise ConfigError(
                f"the components {seen[name]} and {node} would both be the task {name}"
            )
        seen[name] = node


@changes_a_copy
def rename_to_kebab_case(spec: Spec) -> None:
    """Renames tasks, components and executors to kebab case, and all references to them.

    Argo refuses `_` in names.
    """
    labels = {c["executorLabel"]: executor_name(node) for node, c in spec["components"].items()}
    executors = executors_of(spec)
    spec["deploymentSpec"]["executors"] = {labels[k]: v for k, v in executors.items()}
    for component in spec["components"].values():
        component["executorLabel"] = labels[component["executorLabel"]]
    tasks = tasks_of(spec)
    spec["components"] = {component_name(k): v for k, v in spec["components"].items()}
    spec["root"]["dag"]["tasks"] = {task_name(k): v for k, v in tasks.items()}
    for task in tasks.values():
        _rename_references(task)


def _rename_references(task: Spec) -> None:
    # The name in taskInfo is not only shown: the backend looks producers up by this name.
    task["taskInfo"]["name"] = task_name(task["taskInfo"]["name"])
    task["componentRef"]["name"] = component_name(task["componentRef"]["name"])
    if "dependentTasks" in task:
        task["dependentTasks"] = sorted(map(task_name, task["dependentTasks"]))
    for kind, source in (
        ("artifacts", "taskOutputArtifact"),
        ("parameters", "taskOutputParameter"),
    ):
        for selector in task.get("inputs", {}).get(kind, {}).values():
            if source in selector:
                selector[source]["producerTask"] = task_name(selector[source]["producerTask"])
