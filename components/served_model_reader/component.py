"""ServedModel finds the served model that the new data, or the candidate, is compared with.

It replaces TFX's Resolver, whose "latest blessed model" is wrong after a rollback, makes an
unchanged second run compare a model with itself, and does not exist on open-source Kubeflow.
"""

from __future__ import annotations

import os
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_component, base_executor, executor_spec
from tfx.types import artifact_utils, component_spec, standard_artifacts

from components.served_model import keys, pointer
from components.served_model.artifacts import ServedModelRecord
from components.served_model.served_record import Role, resolve_role
from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.files import write_text_atomically


class Executor(base_executor.BaseExecutor):
    """Reads the pointer and writes the record that the candidate is compared with."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        key = keys.make_candidate_key(exec_properties["key"], input_dict["examples"])
        role, directory = exec_properties["role"], exec_properties["serving_directory"]
        record = pointer.find_unchanged_record(directory, role, key, exec_properties["resolved"])
        output = artifact_utils.get_single_instance(output_dict["record"])
        if record is None and resolve_role(pointer.read_pointer(directory), role, key):
            output.set_string_custom_property(Property.NOTE, f"the served model's {role} is gone")
        text = record.to_json() if record else "{}"
        write_text_atomically(
            os.path.join(output.uri, ArtifactFile.SERVED_RECORD), text, durable=True
        )


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        "role": component_spec.ExecutionParameter(type=str),
        "serving_directory": component_spec.ExecutionParameter(type=str),
        "key": component_spec.ExecutionParameter(type=str),
        "resolved": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {"examples": component_spec.ChannelParameter(type=standard_artifacts.Examples)}
    OUTPUTS = {"record": component_spec.ChannelParameter(type=ServedModelRecord)}


class ServedModel(base_component.BaseComponent):
    """Writes the record of the served model as an artifact.

    Args:
      role: "reference" for the data gate, "baseline" for the Evaluator.
      examples: the candidate's examples; their fingerprint completes `key`.
      serving_directory: the directory where the Pusher writes the pointer.
      key: the digest of everything but the data that the candidate depends on in this role.
      resolved: what `make_resolution` returned when the run began. It shows the served model to the
        cache, which the component's inputs do not. The component fails if another model is served
        by the time it runs.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        role: Role,
        examples: types.BaseChannel,
        serving_directory: str,
        key: str,
        resolved: str,
    ) -> None:
        super().__init__(
            _Spec(
                role=role,
                examples=examples,
                serving_directory=serving_directory,
                key=key,
                resolved=resolved,
                record=types.Channel(type=ServedModelRecord),
            )
        )
