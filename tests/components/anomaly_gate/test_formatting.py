"""Numbers, values and types in the texts of findings."""

import pytest
from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.formatting import format_some, format_type, round_up_share


@pytest.mark.parametrize(
    ("share", "rounded"),
    [(0.0341, 0.035), (0.034, 0.034), (0.000101, 0.00011), (0.999, 1.0), (2.0, 1.0), (0.0, 0.0)],
)
def test_a_share_is_rounded_up_to_two_digits_and_at_most_one(share: float, rounded: float) -> None:
    assert round_up_share(share) == rounded


def test_values_beyond_the_first_five_are_counted() -> None:
    assert format_some(["a", "b"]) == "'a', 'b'"
    assert format_some(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"


def test_types_have_their_names_of_the_configuration() -> None:
    kinds = (schema_pb2.INT, schema_pb2.FLOAT, schema_pb2.BYTES, schema_pb2.STRUCT)
    assert [format_type(kind) for kind in kinds] == ["int", "float", "string", "unknown type"]
