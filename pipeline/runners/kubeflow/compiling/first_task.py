"""The task that comes before all components, and the parameters of a run, which it reads."""

from __future__ import annotations

from pipeline.runners.kubeflow.compiling.container import ENTRYPOINT, INVOCATION
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, executors_of, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name

RUN_PARAMETERS = ("data-path", "data-fingerprint", "overrides")
"""What may differ between two runs: other data, its known version, and lines as for `--set`."""


@changes_a_copy
def add_run_parameters(spec: Spec) -> None:
    """Each has a default, which TFX's compiler leaves out: a run without any is complete."""
    spec["root"].setdefault("inputDefinitions", {})["parameters"] = {
        name: {"parameterType": "STRING", "defaultValue": "", "isOptional": True}
        for name in RUN_PARAMETERS
    }


@changes_a_copy
def add_first_task(spec: Spec, image: str, config_json: str) -> None:
    """Adds the task that computes every other task's properties."""
    outputs = {task_name(node): {"parameterType": "STRING"} for node in tasks_of(spec)}
    constants = {"config": config_json, "graph": ""}
    inputs: Spec = {name: {"runtimeValue": {"constant": v}} for name, v in constants.items()}
    inputs |= {name: {"componentInputParameter": name} for name in RUN_PARAMETERS}
    tasks_of(spec)[PREPARE] = {
        "taskInfo": {"name": PREPARE},
        "componentRef": {"name": PREPARE},
        "inputs": {"parameters": inputs},
    }
    spec["components"][PREPARE] = {
        "executorLabel": PREPARE,
        "inputDefinitions": {"parameters": {name: {"parameterType": "STRING"} for name in inputs}},
        "outputDefinitions": {"parameters": outputs},
    }
    executors_of(spec)[PREPARE] = {
        "container": {
            "image": image,
            "command": list(ENTRYPOINT),
            "args": [task_name(PREPARE), INVOCATION],
        }
    }


@changes_a_copy
def set_graph_digest(spec: Spec, digest: str) -> None:
    """Tells the first task what was compiled: a run cannot change it."""
    inputs = tasks_of(spec)[task_name(PREPARE)]["inputs"]["parameters"]
    inputs["graph"]["runtimeValue"]["constant"] = digest
