"""Which served models can predict on the new examples."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from components.evaluator.served_signature import find_obstacle, read_inputs
from components.served_model.served_record import ServedRecord
from pipeline.config import LabelConfig
from pipeline.core.contracts import Signature
from pipeline.core.errors import ConfigError

LABEL = LabelConfig(column="y", task="regression")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> ServedRecord:
    """A served model that reads the columns `fare`, float, and `area`, int."""
    serving = tmp_path_factory.mktemp("serving")
    columns = {"fare": tf.float32, "area": tf.int64}
    specs = {name: tf.TensorSpec([None, 1], dtype, name) for name, dtype in columns.items()}
    module = tf.Module()
    module.predict = tf.function(
        lambda fare, area: {"prediction": fare + tf.cast(area, tf.float32)}, list(specs.values())
    )
    tf.saved_model.save(module, str(serving / "1"), {Signature.SERVING_DEFAULT: module.predict})
    label = LABEL.to_json()
    return ServedRecord("1", "m", "e", "s", "c", label, "d", "r", directory=str(serving))


def schema_of(**types: int) -> schema_pb2.Schema:
    features = [schema_pb2.Feature(name=name, type=kind) for name, kind in types.items()]
    return schema_pb2.Schema(feature=features)


def test_the_inputs_of_the_default_signature_are_read(record: ServedRecord) -> None:
    inputs = read_inputs(record.served_model)
    assert {name: tensor.dtype for name, tensor in inputs.items()} == {
        "fare": tf.float32.as_datatype_enum,
        "area": tf.int64.as_datatype_enum,
    }


@pytest.mark.parametrize(
    ("types", "obstacle"),
    [
        ({"fare": schema_pb2.FLOAT, "area": schema_pb2.INT, "more": schema_pb2.INT}, None),
        ({"area": schema_pb2.INT}, "reads 'fare', which the examples no longer have"),
        (
            {"fare": schema_pb2.FLOAT, "area": schema_pb2.BYTES},
            "reads 'area', which the examples have with another type",
        ),
    ],
)
def test_a_model_is_comparable_if_the_examples_have_its_columns(
    record: ServedRecord, types: dict[str, int], obstacle: str | None
) -> None:
    found = find_obstacle(record, LABEL, schema_of(**types))
    assert found == (obstacle and f"the served model {obstacle}")


def test_a_model_of_another_label_is_not_comparable(record: ServedRecord) -> None:
    label = LabelConfig(column="z", task="regression")
    schema = schema_of(fare=schema_pb2.FLOAT, area=schema_pb2.INT)
    assert find_obstacle(record, label, schema) == "the served model predicts another label"


def test_a_model_that_was_removed_meanwhile_stops_the_run(
    record: ServedRecord, tmp_path: Path
) -> None:
    removed = dataclasses.replace(record, directory=str(tmp_path))
    with pytest.raises(ConfigError, match="was removed after this run had begun"):
        find_obstacle(removed, LABEL, schema_of())
