"""The execution properties of all components, and the one parameter that carries them to a task.

Only the first task knows the configuration. It computes the properties of every component in the
cluster. Kubeflow's cache compares a task's parameters, so the cache hits exactly when the
properties are equal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name

PROPERTIES = "properties"
"""The input parameter of every task. The first task has one output parameter for each task, with
the task's name."""
CODE_AND_VARIABLES = "surroundings"
"""The property that only Kubeflow's cache reads: the component's code digest and its variables."""

Properties = dict[str, str | int | float]

_RUNTIME_PARAMETER = re.compile(r"__class__\W+RuntimeParameter\b")


def read_constants(raw: Spec) -> dict[str, Properties]:
    """Returns the execution properties of each node, as TFX compiles them into the node's task.

    Raises:
      ConfigError: a property is not constant. TFX compiles a RuntimeParameter inside a proto to the
        parameter's name.
    """
    return {node: _read_task_constants(raw, node) for node in sorted(tasks_of(raw))}


@changes_a_copy
def add_code_and_variables(raw: Spec, texts: Mapping[str, str]) -> None:
    """Adds `texts`, by node, as a property, so that Kubeflow's cache notices changed code and
    variables.

    The cache sees neither the content behind an image's tag nor environment variables. The DAG
    writes a component's code digest into the component's flags, but TFX's compiler drops the flags.
    """
    for node, text in texts.items():
        inputs = raw["components"][node].setdefault("inputDefinitions", {})
        inputs.setdefault("parameters", {})[CODE_AND_VARIABLES] = {"parameterType": "STRING"}
        parameters = tasks_of(raw)[node].setdefault("inputs", {}).setdefault("parameters", {})
        parameters[CODE_AND_VARIABLES] = {"runtimeValue": {"constant": text}}


@changes_a_copy
def take_properties_from_first_task(spec: Spec) -> None:
    """Replaces the parameters of every task by one JSON object, an output of the first task."""
    for node, task in tasks_of(spec).items():
        spec["components"][node].setdefault("inputDefinitions", {})["parameters"] = {
            PROPERTIES: {"parameterType": "STRING"}
        }
        task.setdefault("inputs", {})["parameters"] = {
            PROPERTIES: {
                "taskOutputParameter": {
                    "producerTask": PREPARE,
                    "outputParameterKey": task_name(node),
                }
            }
        }
        task["dependentTasks"] = sorted({PREPARE, *task.get("dependentTasks", ())})


def _read_task_constants(raw: Spec, node: str) -> Properties:
    definitions = raw["components"][node].get("inputDefinitions", {}).get("parameters", {})
    parameters = tasks_of(raw)[node].get("inputs", {}).get("parameters", {})
    return {
        name: _read_constant(f"{node}.{name}", value, definitions[name]["parameterType"])
        for name, value in sorted(parameters.items())
    }


def _read_constant(name: str, value: Spec, kind: str) -> str | int | float:
    constant: str | float | None = value.get("runtimeValue", {}).get("constant")
    nested = isinstance(constant, str) and _RUNTIME_PARAMETER.search(constant)
    if constant is None or nested:
        raise ConfigError(
            f"{name} is a RuntimeParameter of TFX; Kubeflow would pass its name, not its value",
            "put what changes between runs into the run parameter `overrides`",
        )
    # JSON does not tell integers from floats, so the compiled constant may be 7.0.
    return int(constant) if kind == "NUMBER_INTEGER" else constant
