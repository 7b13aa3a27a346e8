"""The inputs say what the data was checked against, and summarise its columns."""

from __future__ import annotations

import pytest
from deliveries import FARE, config, gate_rules, splits, table
from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.gate_inputs import GateInputs
from components.statistics_view.reference import Reference

REFERENCE = Reference("7", schema_pb2.Schema(), {})


@pytest.mark.parametrize(
    ("schema", "reference", "left_out", "text"),
    [
        ({"path": "my.pbtxt"}, REFERENCE, None, "the schema in git"),
        ({}, REFERENCE, None, "the served model 7"),
        ({}, None, None, "itself (first run)"),
        ({"reference": "none"}, None, None, "itself (first run)"),
        ({"reference": "none"}, None, "7", "itself (schema.reference is none)"),
    ],
)
def test_the_origin_of_the_schema_is_named(
    schema: dict[str, str], reference: Reference | None, left_out: str | None, text: str
) -> None:
    rules = gate_rules(config(schema=schema))
    inputs = GateInputs({}, schema_pb2.Schema(), reference, rules, left_out)
    assert inputs.checked_against == text


def test_columns_that_are_compared_with_nothing_are_named() -> None:
    rules = gate_rules(config(validation={"columns": {FARE: {"reference": "none"}}}))
    inputs = GateInputs({}, schema_pb2.Schema(), REFERENCE, rules)
    assert inputs.checked_against == f"the served model 7, except '{FARE}'"


def test_columns_are_summarised_over_all_splits() -> None:
    settings = config()
    statistics = splits(table(100), settings)
    inputs = GateInputs(statistics, schema_pb2.Schema(), None, gate_rules(settings))
    assert inputs.columns[FARE].rows == 100
    assert inputs.reference_columns == {}


def test_a_column_that_the_schema_lacks_has_no_rules() -> None:
    schema = schema_pb2.Schema(feature=[schema_pb2.Feature(name="a", type=schema_pb2.INT)])
    inputs = GateInputs({}, schema, None, gate_rules(config()))
    assert inputs.schema_feature("a").type == schema_pb2.INT
    assert inputs.schema_feature("b") == schema_pb2.Feature(name="b")
