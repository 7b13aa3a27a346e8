"""Maps TFDV's anomaly types to the kinds of findings, whose severity the configuration sets."""

from __future__ import annotations

from typing import Any

from tensorflow_metadata.proto.v0 import anomalies_pb2

_TYPES_BY_KIND = {
    "missing_column": ("SCHEMA_MISSING_COLUMN",),
    "new_column": ("SCHEMA_NEW_COLUMN",),
    "wrong_type": (
        "UNEXPECTED_DATA_TYPE",
        "BOOL_TYPE_BYTES_NOT_INT",
        "BOOL_TYPE_BYTES_NOT_STRING",
        "BOOL_TYPE_FLOAT_NOT_INT",
        "BOOL_TYPE_FLOAT_NOT_STRING",
        "BOOL_TYPE_INT_NOT_STRING",
        "BOOL_TYPE_STRING_NOT_INT",
        "ENUM_TYPE_BYTES_NOT_STRING",
        "ENUM_TYPE_FLOAT_NOT_STRING",
        "ENUM_TYPE_INT_NOT_STRING",
        "FLOAT_TYPE_NOT_FLOAT",
        "FLOAT_TYPE_STRING_NOT_FLOAT",
        "FLOAT_TYPE_NON_STRING",
        "FLOAT_TYPE_UNKNOWN_TYPE_NUMBER",
        "INT_TYPE_INT_EXPECTED",
        "INT_TYPE_NOT_INT_STRING",
        "INT_TYPE_NOT_STRING",
        "INT_TYPE_STRING_EXPECTED",
        "INT_TYPE_UNKNOWN_TYPE_NUMBER",
        "STRING_TYPE_NOW_FLOAT",
        "STRING_TYPE_NOW_INT",
    ),
    "new_category": ("ENUM_TYPE_UNEXPECTED_STRING_VALUES", "BOOL_TYPE_UNEXPECTED_STRING"),
    "missing_values": (
        "FEATURE_TYPE_LOW_FRACTION_PRESENT",
        "FEATURE_TYPE_LOW_NUMBER_PRESENT",
        "FEATURE_TYPE_NOT_PRESENT",
        "FEATURE_TYPE_NO_VALUES",
    ),
    "out_of_range": (
        "FLOAT_TYPE_BIG_FLOAT",
        "FLOAT_TYPE_SMALL_FLOAT",
        "FLOAT_TYPE_HAS_INF",
        "FLOAT_TYPE_HAS_NAN",
        "INT_TYPE_BIG_INT",
        "INT_TYPE_SMALL_INT",
        "BOOL_TYPE_BIG_INT",
        "BOOL_TYPE_SMALL_INT",
        "BOOL_TYPE_UNEXPECTED_FLOAT",
    ),
    "too_few_examples": ("DATASET_LOW_NUM_EXAMPLES", "NO_DATA_IN_SPAN"),
}
_KIND_BY_TYPE = {name: kind for kind, names in _TYPES_BY_KIND.items() for name in names}


def find_kind(reason: Any) -> str:
    """Returns the kind of an AnomalyInfo.Reason; `other` for a type that has no kind."""
    return _KIND_BY_TYPE.get(anomalies_pb2.AnomalyInfo.Type.Name(reason.type), "other")
