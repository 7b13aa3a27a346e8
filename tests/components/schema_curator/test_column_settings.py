"""Settings of a column change its part of the schema alone."""

from __future__ import annotations

from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.column_settings import apply_settings, take_columns_from
from pipeline.config import ColumnValidation

SCHEMA = text_format.Parse(
    """
    string_domain { name: "shared" value: "a" }
    feature { name: "one" type: BYTES domain: "shared" }
    feature { name: "other" type: BYTES domain: "shared" }
    feature { name: "free" type: BYTES }
    feature { name: "price" type: FLOAT float_domain { min: 0 max: 5 } }
    feature { name: "count" type: INT }
    """,
    schema_pb2.Schema(),
)


def changed(name: str, **settings: object) -> schema_pb2.Feature:
    schema = schema_pb2.Schema()
    schema.CopyFrom(SCHEMA)
    feature = next(f for f in schema.feature if f.name == name)
    before = [f.SerializeToString() for f in schema.feature if f.name != name]
    apply_settings(schema, feature, ColumnValidation.model_validate(settings))
    assert [f.SerializeToString() for f in schema.feature if f.name != name] == before
    assert list(schema.string_domain[0].value) == ["a"]
    return feature


def test_values_are_added_to_the_domain_of_one_column() -> None:
    assert list(changed("one", values=["b", "a"]).string_domain.value) == ["a", "b"]
    assert changed("free", values=["b"]).WhichOneof("domain_info") is None


def test_a_range_is_set_in_the_type_of_the_column() -> None:
    price = changed("price", maximum=7.5).float_domain
    assert (price.min, price.max) == (0, 7.5)
    count = changed("count", minimum=0.5, maximum=9.5).int_domain
    assert (count.min, count.max) == (1, 9)
    assert changed("one", maximum=3).WhichOneof("domain_info") == "domain"


def test_columns_are_taken_from_the_inferred_schema() -> None:
    inferred = schema_pb2.Schema()
    inferred.feature.add(name="price", type=schema_pb2.INT)
    inferred.feature.add(name="new", type=schema_pb2.INT)
    inferred.feature.add(name="unasked", type=schema_pb2.INT)
    found = take_columns_from(inferred, SCHEMA, ["price", "new", "count"])
    types = {f.name: f.type for f in found.feature}
    assert types["price"] == types["new"] == schema_pb2.INT
    assert set(types) == {"one", "other", "free", "price", "new"}
    assert {f.name: f.type for f in SCHEMA.feature}["price"] == schema_pb2.FLOAT
