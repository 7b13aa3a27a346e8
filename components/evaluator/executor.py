"""Hands TFX's Evaluator its baseline."""

from __future__ import annotations

import json
import os
from typing import Any

from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import types
from tfx.components.evaluator import constants
from tfx.components.evaluator import executor as evaluator
from tfx.dsl.io import fileio
from tfx.types import artifact_utils, standard_artifacts, standard_component_specs
from tfx.utils import io_utils, path_utils

from components.evaluator.verdict import explain_failures
from components.served_model.record import ServedRecord, read_record

BASELINE_RECORD = "baseline"
LABEL = "label"

_DTYPES = {
    schema_pb2.INT: types_pb2.DT_INT64,
    schema_pb2.FLOAT: types_pb2.DT_FLOAT,
    schema_pb2.BYTES: types_pb2.DT_STRING,
}


class Executor(evaluator.Executor):
    """Evaluates the candidate, against the served model where the two can be compared."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        inputs = {key: value for key, value in input_dict.items() if key != BASELINE_RECORD}
        record = read_record(artifact_utils.get_single_uri(input_dict[BASELINE_RECORD]))
        schema = io_utils.SchemaReader().read(
            io_utils.get_only_uri_in_dir(
                artifact_utils.get_single_uri(inputs[standard_component_specs.SCHEMA_KEY])
            )
        )
        if record and (reason := why_not_comparable(record, exec_properties[LABEL], schema)):
            evaluation = artifact_utils.get_single_instance(output_dict["evaluation"])
            evaluation.set_string_custom_property("note", f"evaluated without a baseline: {reason}")
        elif record:
            baseline = standard_artifacts.Model()
            baseline.uri = record.model
            inputs[standard_component_specs.BASELINE_MODEL_KEY] = [baseline]
        super().Do(inputs, output_dict, exec_properties)
        _bless_by_verdict(output_dict)


def _predicted(label: str) -> tuple[object, ...]:
    """What of a label section decides what a prediction means."""
    section = json.loads(label)
    return section["column"], section["task"], section["classes"]


def _bless_by_verdict(output_dict: dict[str, list[types.Artifact]]) -> None:
    """Corrects the blessing: TFX's takes slices that are too small to be computed for failures."""
    blessing = artifact_utils.get_single_instance(output_dict["blessing"])
    evaluation = artifact_utils.get_single_uri(output_dict["evaluation"])
    if blessing.get_int_custom_property(constants.ARTIFACT_PROPERTY_BLESSED_KEY):
        return
    if not explain_failures(evaluation):
        fileio.remove(os.path.join(blessing.uri, constants.NOT_BLESSED_FILE_NAME))
        io_utils.write_string_file(os.path.join(blessing.uri, constants.BLESSED_FILE_NAME), "")
        blessing.set_int_custom_property(
            constants.ARTIFACT_PROPERTY_BLESSED_KEY, constants.BLESSED_VALUE
        )


def why_not_comparable(record: ServedRecord, label: str, schema: schema_pb2.Schema) -> str | None:
    """Why the served model cannot predict on the candidate's examples, or None if it can."""
    if _predicted(record.label) != _predicted(label):
        return "the served model predicts another label"
    path = os.path.join(path_utils.serving_model_path(record.model), "saved_model.pb")
    if not fileio.exists(path):
        return f"the served model's artifact {record.model} is gone"
    with fileio.open(path, "rb") as file:
        saved_model = saved_model_pb2.SavedModel.FromString(file.read())
    signature = saved_model.meta_graphs[0].signature_def["serving_default"]
    known = {feature.name: _DTYPES.get(feature.type) for feature in schema.feature}
    for name, tensor in signature.inputs.items():
        if known.get(name) != tensor.dtype:
            return f"the served model reads '{name}', which the examples hold no more or otherwise"
    return None
