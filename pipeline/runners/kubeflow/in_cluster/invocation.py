"""What Kubeflow hands to a task, brought into the form that TFX's components expect.

Each function mends one thing that TFX's own entrypoint fails on with open-source Kubeflow; all are
pure, over the parsed JSON of the ExecutorInput.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.runners.kubeflow.compiling.execution_properties import CODE_AND_VARIABLES, PROPERTIES
from pipeline.runners.kubeflow.compiling.parameter_encoding import decode_parameter
from pipeline.runners.kubeflow.in_cluster.uris import map_texts, to_path

Json = dict[str, Any]

_CLASS_FLAG = "--executor_class_path"
_INPUTS_FLAG = "--json_serialized_inputs_spec_args"


@dataclass(frozen=True)
class Flags:
    """What stands behind the ExecutorInput on a task's command line."""

    executor_class: str
    inputs_spec: Json
    """The component's inputs, as it was compiled."""
    extra: Sequence[str]
    """Beam's flags, and those of the component."""

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> Flags:
        """TFX's compiler writes each flag and its value as two arguments, Beam's as one."""
        rest = list(arguments)
        executor_class = _take(rest, _CLASS_FLAG)
        return cls(executor_class, json.loads(_take(rest, _INPUTS_FLAG)), rest)


def _take(arguments: list[str], flag: str) -> str:
    at = arguments.index(flag)
    _, value = arguments[at], arguments[at + 1]
    del arguments[at : at + 2]
    return value


def read_properties(executor_input: Json) -> Json:
    """The execution properties, which `prepare` hands over as one parameter."""
    properties: Json = json.loads(
        decode_parameter(executor_input["inputs"]["parameterValues"][PROPERTIES])
    )
    properties.pop(CODE_AND_VARIABLES, None)
    return properties


def fill_in_input_types(executor_input: Json, inputs_spec: Json) -> Json:
    """Input artifacts arrive with an empty type, on which TFX raises AttributeError."""
    filled = copy.deepcopy(executor_input)
    for name, given in filled["inputs"].get("artifacts", {}).items():
        for artifact in given["artifacts"]:
            artifact["type"] = inputs_spec["artifacts"][name]["artifactType"]
    return filled


def split_off_kubeflow_outputs(executor_input: Json) -> tuple[Json, Json]:
    """The ExecutorInput with TFX's outputs alone, and the other outputs by name.

    Kubeflow adds `executor-logs`, this project a report and metrics. Their types begin with
    `system.`, which TFX takes for a module: "Could not import system.Artifact".
    """
    reduced = copy.deepcopy(executor_input)
    artifacts = reduced["outputs"].get("artifacts", {})
    others = {
        name: given["artifacts"][0]
        for name, given in artifacts.items()
        if _is_kubeflow_output(given)
    }
    for name in others:
        del artifacts[name]
    return reduced, others


def _is_kubeflow_output(given: Mapping[str, Any]) -> bool:
    kind = given["artifacts"][0].get("type", {})
    return str(kind.get("schemaTitle", "")).startswith("system.")


def replace_uris_by_paths(executor_input: Json) -> Json:
    """Artifacts under the paths where they are staged, in place of the store's addresses."""
    changed = copy.deepcopy(executor_input)
    for side in ("inputs", "outputs"):
        for given in changed[side].get("artifacts", {}).values():
            for artifact in given["artifacts"]:
                artifact["uri"] = to_path(artifact["uri"])
                artifact["metadata"] = map_texts(artifact.get("metadata", {}), to_path)
    return changed
