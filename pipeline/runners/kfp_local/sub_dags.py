"""Replaces each sub-DAG of a compiled pipeline by its tasks.

Kubeflow runs a sub-DAG's tasks as soon as the sub-DAG may start, so an equal order of tasks results
if each of them waits for what the sub-DAG waits for.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.core.errors import ConfigError

Json = dict[str, Any]


def inline_sub_dags(spec: Json) -> dict[str, Json]:
    """Returns the tasks that run a container, by name.

    A task that depends on a sub-DAG depends on all tasks of the sub-DAG instead.

    Raises:
      ConfigError: a name occurs twice, a task reads an output of a sub-DAG, or Kubeflow would not
        run an exit task once.
    """
    _check_exit_tasks(spec["root"]["dag"]["tasks"])
    tasks: dict[str, Json] = {}
    members: dict[str, list[str]] = {}
    for name, task in spec["root"]["dag"]["tasks"].items():
        inner = dict(_inline(spec, name, task))
        if name not in inner:
            members[name] = sorted(inner)
        for twice in inner.keys() & tasks.keys():
            raise ConfigError(f"task {twice}: two tasks with this name are not supported")
        tasks |= inner
    for name, task in tasks.items():
        for producer in sorted(_list_producers(task) & members.keys()):
            raise ConfigError(f"task {name}: outputs of the sub-DAG {producer} are not supported")
        upstream = (members.get(each, [each]) for each in task["dependentTasks"])
        task["dependentTasks"] = list(itertools.chain(*upstream))
    return tasks


def _inline(spec: Json, name: str, task: Json) -> Iterator[tuple[str, Json]]:
    """Yields the task itself, or the tasks of its sub-DAG as tasks of the root."""
    component = _component(spec, task)
    outer = list(task.get("dependentTasks", ()))
    if "dag" not in component:
        yield name, {**copy.deepcopy(task), "dependentTasks": outer}
        return
    for key in set(task) - {"taskInfo", "componentRef", "inputs", "dependentTasks"}:
        raise ConfigError(f"task {name}: {key} of a sub-DAG is not supported")
    outer += sorted(_list_producers(task))
    sources = _list_sources(component, task)
    for inner_name, inner in component["dag"]["tasks"].items():
        if "triggerPolicy" in inner or "dag" in _component(spec, inner):
            raise ConfigError(f"task {inner_name}: in a sub-DAG, only plain tasks are supported")
        flat = copy.deepcopy(inner)
        flat["dependentTasks"] = [*inner.get("dependentTasks", ()), *outer]
        parameters = flat.get("inputs", {}).get("parameters", {})
        for key, source in parameters.items():
            if "componentInputParameter" in source:
                parameters[key] = sources[source["componentInputParameter"]]
        yield inner_name, flat


def _component(spec: Json, task: Json) -> Json:
    component: Json = spec["components"][task["componentRef"]["name"]]
    return component


def _check_exit_tasks(tasks: Mapping[str, Json]) -> None:
    """Checks what Kubeflow makes of exit tasks: the one hook of each task that they depend on."""
    hooks: dict[str, str] = {}
    for name, task in tasks.items():
        if "triggerPolicy" not in task:
            continue
        upstream = task.get("dependentTasks", ())
        if len(upstream) != 1:
            raise ConfigError(f"task {name}: Kubeflow runs it after each task it depends on")
        if upstream[0] in hooks:
            raise ConfigError(f"task {name}: Kubeflow runs only one exit task after {upstream[0]}")
        if _list_producers(task):
            raise ConfigError(f"task {name}: an exit task cannot read outputs of tasks")
        hooks[upstream[0]] = name


def _list_sources(component: Json, task: Json) -> dict[str, Json]:
    """Returns where each input parameter of the sub-DAG comes from; a default is a constant."""
    definitions = component.get("inputDefinitions", {}).get("parameters", {})
    defaults = {
        name: {"runtimeValue": {"constant": definition["defaultValue"]}}
        for name, definition in definitions.items()
        if "defaultValue" in definition
    }
    return {**defaults, **task.get("inputs", {}).get("parameters", {})}


def _list_producers(task: Mapping[str, Any]) -> set[str]:
    """Returns the tasks whose outputs the task reads."""
    return {
        source["producerTask"]
        for kind in task.get("inputs", {}).values()
        for selector in kind.values()
        for source in selector.values()
        if isinstance(source, dict) and "producerTask" in source
    }
