"""A pipeline's specification as parsed JSON, and how its parts are found and changed."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec

Spec = dict[str, Any]
"""A PipelineSpec of Kubeflow Pipelines, or a part of one."""

_P = ParamSpec("_P")


def changes_a_copy(change: Callable[Concatenate[Spec, _P], None]) -> Callable[..., Spec]:
    """Makes a pure function of one that changes the specification it is given."""

    @functools.wraps(change)
    def changed(spec: Spec, *args: _P.args, **kwargs: _P.kwargs) -> Spec:
        result = copy.deepcopy(spec)
        change(result, *args, **kwargs)
        return result

    return changed


def tasks_of(spec: Spec) -> dict[str, Spec]:
    """The tasks by name."""
    tasks: dict[str, Spec] = spec["root"]["dag"]["tasks"]
    return tasks


def executors_of(spec: Spec) -> dict[str, Spec]:
    """The executors by label."""
    executors: dict[str, Spec] = spec["deploymentSpec"]["executors"]
    return executors


def executor_of(spec: Spec, task: str) -> Spec:
    """The executor that a task comes down to."""
    component = spec["components"][tasks_of(spec)[task]["componentRef"]["name"]]
    return executors_of(spec)[component["executorLabel"]]


def containers_of(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """Each task and its container, in order of the names."""
    for task in sorted(tasks_of(spec)):
        yield task, executor_of(spec, task)["container"]
