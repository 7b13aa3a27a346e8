"""Adds a task that is no component: one that runs this project's entrypoint under its own name."""

from __future__ import annotations

from typing import Any

from pipeline.runners.kubeflow.compiling.container import ENTRYPOINT, INVOCATION
from pipeline.runners.kubeflow.compiling.spec import Spec, executors_of
from pipeline.runners.kubeflow.compiling.task_names import task_name

RUN_PARAMETERS = ("data-path", "data-fingerprint", "overrides")
"""What may differ between two runs of one file: the path of the data, a name for the version of the
data, and KEY=VALUE lines as for `--set`."""


def add_task(
    spec: Spec, name: str, image: str, constants: dict[str, str], outputs: Spec, **settings: Any
) -> None:
    """Adds the task `name`, whose inputs are `constants` and the parameters of the run.

    Args:
      outputs: the output definitions of the task's component.
      settings: more entries of the task.
    """
    inputs: Spec = {key: {"runtimeValue": {"constant": v}} for key, v in constants.items()}
    inputs |= {key: {"componentInputParameter": key} for key in RUN_PARAMETERS}
    spec["root"]["dag"]["tasks"][name] = {
        "taskInfo": {"name": name},
        "componentRef": {"name": name},
        "inputs": {"parameters": inputs},
        **settings,
    }
    spec["components"][name] = {
        "executorLabel": name,
        "inputDefinitions": {"parameters": {key: {"parameterType": "STRING"} for key in inputs}},
        "outputDefinitions": outputs,
    }
    executors_of(spec)[name] = {
        "container": {
            "image": image,
            "command": list(ENTRYPOINT),
            "args": [task_name(name), INVOCATION],
        }
    }
