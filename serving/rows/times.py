"""Refuses values that are no times in a column of times.

The graph takes a time in another format for a missing value, as in training. A client would get a
prediction without the date, and would never hear of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from pipeline.core.date_formats import EPOCH_UNITS, TimeColumn
from pipeline.core.text import shorten
from serving.errors import bad_request
from serving.rows.signature import Signature
from serving.rows.values import Array

_LONGEST_VALUE = 60
"""Characters of a value that an error message repeats."""


def refuse_unreadable_times(signature: Signature, blocks: Sequence[Array]) -> None:
    """Raises RequestError for the first value that is no time in its column's format.

    Args:
      blocks: an array [rows, inputs] for each group of the signature's inputs.
    """
    for group, block in zip(signature.groups, blocks, strict=True):
        for position, tensor in enumerate(group.inputs):
            if tensor.times is None:
                continue
            value = _find_unreadable(block[:, position], tensor.times)
            if value is not None:
                row = int(np.argmax(block[:, position] == value))
                raise bad_request(
                    f"row {row}: '{tensor.name}' takes a time in the format "
                    f"{tensor.times.wanted}, or a missing value; not {_show(value)}"
                )


def _find_unreadable(column: Array, times: TimeColumn) -> bytes | float | None:
    """Returns a value of a column [rows] that is no time, or None if there is none."""
    if column.dtype.kind != "O" and times.format in EPOCH_UNITS:
        first, last = times.epoch_range()
        bad = column[((column < first) | (column > last)) & (column != MISSING_INT)]
        first_bad: float | None = bad[0].item() if len(bad) else None
        return first_bad
    # Each distinct value once, in the order of the rows: times repeat.
    distinct: dict[bytes | float, None] = dict.fromkeys(column.tolist())
    for value in distinct:
        text = _to_text(value)
        if text.strip() and text != MISSING_STRING and not times.reads(text):
            return value
    return None


def _to_text(value: bytes | float) -> str:
    """Returns a value as the graph reads it; an empty text for a missing number."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value != value or value == MISSING_INT:
        return ""
    return str(int(value)) if int(value) == value else str(value)


def _show(value: bytes | float) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return shorten(json.dumps(text, ensure_ascii=False), _LONGEST_VALUE)
