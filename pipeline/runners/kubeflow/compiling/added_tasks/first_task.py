"""Adds the first task, which runs before all components, and the run parameters that it reads."""

from __future__ import annotations

from pipeline.runners.kubeflow.compiling.added_tasks.task import RUN_PARAMETERS, add_task
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name


@changes_a_copy
def add_run_parameters(spec: Spec) -> None:
    """Declares the run parameters, each with an empty default, so that a run may leave them out.

    TFX's compiler leaves out the defaults.
    """
    spec["root"].setdefault("inputDefinitions", {})["parameters"] = {
        name: {"parameterType": "STRING", "defaultValue": "", "isOptional": True}
        for name in RUN_PARAMETERS
    }


@changes_a_copy
def add_first_task(spec: Spec, image: str, config_json: str) -> None:
    """Adds the task that computes the execution properties of every other task."""
    outputs = {task_name(node): {"parameterType": "STRING"} for node in tasks_of(spec)}
    constants = {"config": config_json, "graph": ""}
    add_task(spec, PREPARE, image, constants, {"parameters": outputs})


@changes_a_copy
def set_graph_digest(spec: Spec, digest: str) -> None:
    """Writes the digest of the compiled file into the first task, which refuses a run that would
    need another file."""
    inputs = tasks_of(spec)[task_name(PREPARE)]["inputs"]["parameters"]
    inputs["graph"]["runtimeValue"]["constant"] = digest
