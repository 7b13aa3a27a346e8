"""Which tasks Kubeflow may leave out when they ran on equal inputs before."""

from __future__ import annotations

from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE

_NEVER = (PREPARE, "Pusher")
"""The first looks at the data; the last puts back what a rollback took away."""


@changes_a_copy
def set_cache_policy(spec: Spec, cache: bool) -> None:
    """Every task is cached but those whose result is not in their inputs."""
    for node, task in tasks_of(spec).items():
        task["cachingOptions"] = {"enableCache": cache and node not in _NEVER}
