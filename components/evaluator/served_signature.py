"""Reads the inputs of a served model, and tells whether it can predict on the new examples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.dsl.io import fileio

from components.served_model.served_record import ServedRecord
from pipeline.config import LabelConfig
from pipeline.core.contracts import ArtifactFile, Signature
from pipeline.core.errors import ConfigError

_DTYPES = {
    schema_pb2.INT: types_pb2.DT_INT64,
    schema_pb2.FLOAT: types_pb2.DT_FLOAT,
    schema_pb2.BYTES: types_pb2.DT_STRING,
}


def read_inputs(directory: str) -> Mapping[str, Any]:
    """Returns the inputs of the default signature by name, each a TensorInfo."""
    with fileio.open(os.path.join(directory, ArtifactFile.SAVED_MODEL), "rb") as file:
        saved_model = saved_model_pb2.SavedModel.FromString(file.read())
    inputs: Mapping[str, Any] = (
        saved_model.meta_graphs[0].signature_def[Signature.SERVING_DEFAULT].inputs
    )
    return inputs


def find_obstacle(
    record: ServedRecord, label: LabelConfig, schema: schema_pb2.Schema
) -> str | None:
    """Returns why the served model cannot predict on the candidate's examples, or None if it can.

    Raises:
      ConfigError: the served model was removed after the record was written.
    """
    if not label.predicts_the_same(record.label):
        return "the served model predicts another label"
    directory = record.served_model
    if not fileio.exists(os.path.join(directory, ArtifactFile.SAVED_MODEL)):
        raise ConfigError(
            f"the served model {directory} was removed after this run had begun", "run again"
        )
    known = {feature.name: _DTYPES.get(feature.type) for feature in schema.feature}
    for name, tensor in read_inputs(directory).items():
        if known.get(name) != tensor.dtype:
            change = "have with another type" if name in known else "no longer have"
            return f"the served model reads '{name}', which the examples {change}"
    return None
