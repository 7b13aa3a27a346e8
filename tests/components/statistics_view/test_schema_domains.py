"""A domain is read from its column or from the shared domains."""

import pytest
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.schema_domains import read_domain

SCHEMA = text_format.Parse(
    """
    feature { name: "own" type: BYTES string_domain { value: "b" value: "a" } }
    feature { name: "shared" type: BYTES domain: "kinds" }
    feature { name: "dangling" type: BYTES domain: "absent" }
    feature { name: "number" type: INT int_domain { min: 0 } }
    string_domain { name: "kinds" value: "Cash" }
    """,
    schema_pb2.Schema(),
)


@pytest.mark.parametrize(
    ("name", "domain"),
    [("own", ["b", "a"]), ("shared", ["Cash"]), ("dangling", None), ("number", None)],
)
def test_the_domain_is_the_own_or_the_shared_one(name: str, domain: list[str] | None) -> None:
    feature = next(f for f in SCHEMA.feature if f.name == name)
    assert read_domain(SCHEMA, feature) == domain
