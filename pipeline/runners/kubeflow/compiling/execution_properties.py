"""The execution properties of all components, and the one parameter that hands them to a task.

What a component is told is computed in the cluster by the first task, which alone knows the
configuration. So Kubeflow's cache, which sees a task's parameters, is exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name

PROPERTIES = "properties"
"""The parameter of every task; the first task's output parameters are named as the tasks."""
CODE_AND_VARIABLES = "surroundings"
"""The property that only the cache has to see: the component's code, and its variables."""

Properties = dict[str, str | int | float]

_RUNTIME_PARAMETER = re.compile(r"__class__\W+RuntimeParameter\b")


def read_constants(raw: Spec) -> dict[str, Properties]:
    """The execution properties of each node, as TFX compiles them into its task.

    Raises:
      ConfigError: one is no constant. TFX compiles a parameter inside of a proto to its name.
    """
    return {node: _read_task_constants(raw, node) for node in sorted(tasks_of(raw))}


@changes_a_copy
def add_code_and_variables(raw: Spec, texts: Mapping[str, str]) -> None:
    """Kubeflow's cache sees neither what is behind an image's tag nor variables; with this it does.

    TFX's compiler leaves out the flags in which the DAG tells the cache a component's code.
    """
    for node, text in texts.items():
        inputs = raw["components"][node].setdefault("inputDefinitions", {})
        inputs.setdefault("parameters", {})[CODE_AND_VARIABLES] = {"parameterType": "STRING"}
        given = tasks_of(raw)[node].setdefault("inputs", {}).setdefault("parameters", {})
        given[CODE_AND_VARIABLES] = {"runtimeValue": {"constant": text}}


@changes_a_copy
def take_properties_from_first_task(spec: Spec) -> None:
    """The first task gives every other one all its properties, as one JSON object."""
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
    given = tasks_of(raw)[node].get("inputs", {}).get("parameters", {})
    return {
        name: _read_constant(f"{node}.{name}", value, definitions[name]["parameterType"])
        for name, value in sorted(given.items())
    }


def _read_constant(name: str, value: Spec, kind: str) -> str | int | float:
    constant: str | float | None = value.get("runtimeValue", {}).get("constant")
    nested = isinstance(constant, str) and _RUNTIME_PARAMETER.search(constant)
    if constant is None or nested:
        raise ConfigError(
            f"{name} is a RuntimeParameter of TFX; Kubeflow would be given its name, not its value",
            "what changes between runs goes into the parameter `overrides`",
        )
    # JSON has no integers of its own.
    return int(constant) if kind == "NUMBER_INTEGER" else constant
