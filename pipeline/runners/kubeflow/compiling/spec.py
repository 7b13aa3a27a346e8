"""Finds and changes the parts of a pipeline's specification, which is parsed JSON."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec

Spec = dict[str, Any]
"""A PipelineSpec message of Kubeflow Pipelines, or a part of a PipelineSpec, as parsed JSON."""

_P = ParamSpec("_P")


def changes_a_copy(change: Callable[Concatenate[Spec, _P], None]) -> Callable[..., Spec]:
    """Decorates a function that changes a specification in place.

    The decorated function changes a copy, and returns the copy.
    """

    @functools.wraps(change)
    def changed(spec: Spec, *args: _P.args, **kwargs: _P.kwargs) -> Spec:
        result = copy.deepcopy(spec)
        change(result, *args, **kwargs)
        return result

    return changed


def tasks_of(spec: Spec) -> dict[str, Spec]:
    """Returns the tasks that run a container, by name, also those inside of a sub-DAG."""
    tasks: dict[str, Spec] = {}
    for name, task in spec["root"]["dag"]["tasks"].items():
        component = spec["components"][task["componentRef"]["name"]]
        tasks |= component["dag"]["tasks"] if "dag" in component else {name: task}
    return tasks


def executors_of(spec: Spec) -> dict[str, Spec]:
    """Returns the executors by label."""
    executors: dict[str, Spec] = spec["deploymentSpec"]["executors"]
    return executors


def executor_of(spec: Spec, task: str) -> Spec:
    """Returns the executor of the task's component."""
    component = spec["components"][tasks_of(spec)[task]["componentRef"]["name"]]
    return executors_of(spec)[component["executorLabel"]]


def containers_of(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """Yields each task's name and container, sorted by name."""
    for task in sorted(tasks_of(spec)):
        yield task, executor_of(spec, task)["container"]
