"""Formats numbers, values and types for the texts of findings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tensorflow_metadata.proto.v0 import schema_pb2

_TYPES = {schema_pb2.INT: "int", schema_pb2.FLOAT: "float", schema_pb2.BYTES: "string"}


def format_type(kind: int) -> str:
    """Returns the name of a schema_pb2.FeatureType in `data.types`."""
    return _TYPES.get(kind, "unknown type")


def format_some(values: Sequence[str], count: int = 5) -> str:
    """Returns the first values as text, and how many more there are."""
    shown = ", ".join(f"'{value}'" for value in values[:count])
    return f"{shown} and {len(values) - count} more" if len(values) > count else shown


def plain_number(number: float) -> int | float:
    """Returns a number that is written with all of its digits, whole numbers without a point."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def round_up_share(share: float) -> float:
    """Returns the share rounded up to two digits, at most 1, so that it can be typed."""
    if share <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(share)) - 1)
    return min(1.0, float(f"{math.ceil(share / step - 1e-9) * step:.6g}"))
