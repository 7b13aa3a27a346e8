"""A schema is written as text for review, and read back."""

from __future__ import annotations

import pytest
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.schema_defaults import dense_representation
from components.schema_curator.schema_text import parse_schema, render_schema
from pipeline.core.errors import ConfigError


def schema() -> schema_pb2.Schema:
    result = schema_pb2.Schema()
    for name, kind in (("fare (€)", schema_pb2.FLOAT), ("zip.code", schema_pb2.INT)):
        feature = result.feature.add(name=name, type=kind)
        group = result.tensor_representation_group[""].tensor_representation
        group[name].CopyFrom(dense_representation(feature))
    return result


def test_rendered_text_is_legible_and_is_read_back() -> None:
    text = render_schema(schema())
    assert text.startswith("# ")
    assert 'name: "fare (€)"' in text
    assert "tensor_representation" not in text
    assert [f.name for f in parse_schema(text, "s.pbtxt").feature] == ["fare (€)", "zip.code"]
    assert render_schema(parse_schema(text, "s.pbtxt")) == text


def test_a_representation_that_differs_from_the_default_is_shown() -> None:
    own = schema()
    group = own.tensor_representation_group[""].tensor_representation
    group["zip.code"].dense_tensor.default_value.int_value = 0
    text = render_schema(own)
    assert text.count("dense_tensor") == 1
    read = parse_schema(text, "s.pbtxt").tensor_representation_group[""].tensor_representation
    assert str(read["zip.code"]) == str(group["zip.code"])


def test_rendering_does_not_change_the_schema() -> None:
    before = schema()
    text = text_format.MessageToString(before)
    render_schema(before)
    assert text_format.MessageToString(before) == text


def test_text_that_is_no_schema_is_refused_with_file_and_line() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_schema('feature {\n  nmae: "a"\n}', "my.pbtxt")
    assert str(caught.value).startswith("schema.path: my.pbtxt:2: ")
    assert "nmae" in str(caught.value)
