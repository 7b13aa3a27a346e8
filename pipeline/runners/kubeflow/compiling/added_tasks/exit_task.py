"""Adds the exit task, which writes the page of the run when all other tasks have ended.

Kubeflow runs an exit task also after a failure. It turns the exit task into an Argo hook of each
task that the exit task depends on. A hook runs when its task has ended, but not if its task never
started. So all other tasks move into one sub-DAG, which always starts, and which ends when nothing
in it runs any more. A failed sub-DAG fails the run, whatever becomes of the exit task.

The exit task takes no input from the other tasks: Kubeflow cannot resolve the outputs of a failed
task, and Kubeflow 2.5 does not know the final status of a task as an input either. The tasks leave
records on the shared volume instead; see `pipeline/runners/kubeflow/run_records/`.
"""

from __future__ import annotations

import json

from pipeline.config.kubernetes.pods import escape_dollars
from pipeline.core.environment import RECORDS_VARIABLE
from pipeline.runners.kubeflow.compiling.added_tasks.task import RUN_PARAMETERS, add_task
from pipeline.runners.kubeflow.compiling.spec import (
    Spec,
    changes_a_copy,
    containers_of,
    tasks_of,
)
from pipeline.runners.kubeflow.compiling.task_names import REPORT, component_name, task_name

SUB_DAG = "pipeline"
"""The name of the sub-DAG's task."""
PAGE = "page"
"""The exit task's output artifact, which Kubeflow shows."""
GRAPH = "tasks"
"""The exit task's parameter with the names of all other tasks and of their upstream tasks."""

_HTML = {"artifactType": {"schemaTitle": "system.HTML", "schemaVersion": "0.0.1"}}
_AFTER_A_FAILURE_TOO = {"strategy": "ALL_UPSTREAM_TASKS_COMPLETED"}


@changes_a_copy
def add_exit_task(spec: Spec, image: str, config_json: str) -> None:
    """Adds the task that writes the page of the run."""
    graph = {node: sorted(task.get("dependentTasks", ())) for node, task in tasks_of(spec).items()}
    add_task(
        spec,
        REPORT,
        image,
        {"config": config_json, GRAPH: json.dumps(graph, sort_keys=True)},
        {"artifacts": {PAGE: _HTML}},
        triggerPolicy=_AFTER_A_FAILURE_TOO,
        dependentTasks=[SUB_DAG],
    )


@changes_a_copy
def name_records(spec: Spec, directory: str) -> None:
    """Tells every task the directory of the records by a variable.

    A variable, unlike a parameter, is not part of the key of Kubeflow's cache.
    """
    for _, container in containers_of(spec):
        variable = {"name": RECORDS_VARIABLE, "value": escape_dollars(directory)}
        container.setdefault("env", []).append(variable)


@changes_a_copy
def move_into_sub_dag(spec: Spec) -> None:
    """Moves all tasks but the exit task into a sub-DAG, which the exit task waits for.

    The names are in kebab case already.
    """
    tasks = spec["root"]["dag"]["tasks"]
    exit_task = tasks.pop(task_name(REPORT))
    definitions = {name: {"parameterType": "STRING"} for name in RUN_PARAMETERS}
    inputs = {name: {"componentInputParameter": name} for name in RUN_PARAMETERS}
    spec["components"][component_name(SUB_DAG)] = {
        "dag": {"tasks": tasks},
        "inputDefinitions": {"parameters": definitions},
    }
    sub_dag = {
        "taskInfo": {"name": SUB_DAG},
        "componentRef": {"name": component_name(SUB_DAG)},
        "inputs": {"parameters": inputs},
    }
    spec["root"]["dag"]["tasks"] = {SUB_DAG: sub_dag, task_name(REPORT): exit_task}
