"""Refuses categories that float32 has rounded: different codes would be one category.

ExampleGen keeps whole numbers as int64. One cell with a fraction makes the whole column float32,
which rounds numbers above 2**24. For a quantity that is exact enough.
"""

from __future__ import annotations

from collections.abc import Mapping

from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary
from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32
from pipeline.config.base import dotted
from pipeline.core.errors import DataError


def refuse_rounded_codes(columns: Mapping[str, ColumnSummary], rules: CurationRules) -> None:
    """Raises DataError if a categorical or hashed column has floats that are rounded."""
    for name, kind in sorted(rules.kinds.items()):
        column = columns.get(name)
        if kind in ("categorical", "hashed") and column and _has_rounded(column):
            raise _make_error(column, kind)


def _has_rounded(column: ColumnSummary) -> bool:
    largest = max(-(column.low or 0.0), column.high or 0.0)
    return column.type == schema_pb2.FLOAT and largest >= LARGEST_EXACT_IN_FLOAT32


def _make_error(column: ColumnSummary, kind: str) -> DataError:
    key = dotted(("data", "types", column.name))
    return DataError(
        f"column '{column.name}' (kind {kind}): its numbers, from {column.low:.10g} to "
        f"{column.high:.10g}, are not all whole, and are read as float32, which merges different "
        f"codes above {LARGEST_EXACT_IN_FLOAT32:,}",
        f"set {key} to int, and the run names the first number with a fraction; or to string, if "
        "such numbers are right; in records, store the codes as integers or text; for a quantity, "
        "set the kind numeric",
    )
