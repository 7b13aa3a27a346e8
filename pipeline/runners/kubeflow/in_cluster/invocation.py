"""Converts what Kubeflow passes to a task into the form that TFX's components expect.

Each function repairs one point on which TFX's entrypoint fails with open-source Kubeflow. The
functions are pure and work on the parsed JSON of the ExecutorInput.
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
    """The flags that follow the ExecutorInput on a task's command line."""

    executor_class: str
    inputs_spec: Json
    """The input definitions of the compiled component."""
    extra: Sequence[str]
    """Flags for Beam and for the component."""

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> Flags:
        """Parses the flags.

        TFX's compiler writes one of its own flags as two arguments, a Beam flag as one argument.
        """
        rest = list(arguments)
        executor_class = _take(rest, _CLASS_FLAG)
        return cls(executor_class, json.loads(_take(rest, _INPUTS_FLAG)), rest)


def _take(arguments: list[str], flag: str) -> str:
    at = arguments.index(flag)
    _, value = arguments[at], arguments[at + 1]
    del arguments[at : at + 2]
    return value


def read_properties(executor_input: Json) -> Json:
    """Returns the execution properties, which `prepare` passes as one parameter."""
    properties: Json = json.loads(
        decode_parameter(executor_input["inputs"]["parameterValues"][PROPERTIES])
    )
    properties.pop(CODE_AND_VARIABLES, None)
    return properties


def fill_in_input_types(executor_input: Json, inputs_spec: Json) -> Json:
    """Returns the ExecutorInput with the compiled type in every input artifact.

    Kubeflow passes an empty type, on which TFX raises AttributeError.
    """
    filled = copy.deepcopy(executor_input)
    for name, artifacts in filled["inputs"].get("artifacts", {}).items():
        for artifact in artifacts["artifacts"]:
            artifact["type"] = inputs_spec["artifacts"][name]["artifactType"]
    return filled


def split_off_kubeflow_outputs(executor_input: Json) -> tuple[Json, Json]:
    """Returns the ExecutorInput with only TFX's outputs, and the other outputs by name.

    Kubeflow adds the output `executor-logs`; this project adds a report and metrics. Their types
    begin with `system.`, which TFX takes for a module: "Could not import system.Artifact".
    """
    reduced = copy.deepcopy(executor_input)
    artifacts = reduced["outputs"].get("artifacts", {})
    kubeflow_outputs = {
        name: output["artifacts"][0]
        for name, output in artifacts.items()
        if _is_kubeflow_output(output)
    }
    for name in kubeflow_outputs:
        del artifacts[name]
    return reduced, kubeflow_outputs


def _is_kubeflow_output(output: Mapping[str, Any]) -> bool:
    kind = output["artifacts"][0].get("type", {})
    return str(kind.get("schemaTitle", "")).startswith("system.")


def replace_uris_by_paths(executor_input: Json) -> Json:
    """Returns the ExecutorInput with staged paths in place of the store's URIs.

    URIs in the artifacts' metadata are replaced too.
    """
    changed = copy.deepcopy(executor_input)
    for side in ("inputs", "outputs"):
        for artifacts in changed[side].get("artifacts", {}).values():
            for artifact in artifacts["artifacts"]:
                artifact["uri"] = to_path(artifact["uri"])
                artifact["metadata"] = map_texts(artifact.get("metadata", {}), to_path)
    return changed
