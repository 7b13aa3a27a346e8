"""Which tasks Kubeflow may take from its cache when they ran on equal inputs before."""

from __future__ import annotations

from pipeline.core.contracts import Node
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, REPORT

_NEVER = (PREPARE, Node.PUSHER, Node.BATCH_PREDICTOR, REPORT)
"""Their results depend on more than their inputs: Prepare reads the data and the served model, the
Pusher has to push again after a rollback, the BatchPredictor reads files, and the report reads the
records of the run."""


@changes_a_copy
def set_cache_policy(spec: Spec, cache: bool) -> None:
    """Enables the cache for every task whose inputs determine its result, if `cache` is set."""
    for node, task in tasks_of(spec).items():
        task["cachingOptions"] = {"enableCache": cache and node not in _NEVER}
