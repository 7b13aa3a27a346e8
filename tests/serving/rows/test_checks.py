"""tf.Examples get the rule of JSON rows: no infinite number, and no text for a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tensorflow.core.example.example_pb2 import Example

from pipeline.core.contracts import MISSING_INT
from pipeline.core.date_formats import TimeColumn
from serving.errors import RequestError
from serving.rows.checks import check_values
from serving.rows.signature import Signature, Tensor

COLUMNS = (
    Tensor("at", "int64", 2, 1, TimeColumn("epoch_seconds")),
    Tensor("day", "string", 2, 1, TimeColumn("day_first")),
    Tensor("fare", "float32", 2, 1),
)
SIGNATURE = Signature("serving_examples", (Tensor("examples", "string", 1),), (), COLUMNS)
LISTS = {bytes: "bytes_list", int: "int64_list", float: "float_list"}


def serialize(**cells: Any) -> bytes:
    example = Example()
    for name, cell in cells.items():
        values = cell if isinstance(cell, list) else [cell]
        getattr(example.features.feature[name], LISTS[type(values[0])]).value.extend(values)
    return bytes(example.SerializeToString())


def refuse(*rows: bytes, columns: tuple[Tensor, ...] = COLUMNS) -> str:
    """Returns the message about the rows, an empty text if they are not refused."""
    signature = Signature(SIGNATURE.name, SIGNATURE.inputs, (), columns)
    try:
        check_values(signature, [np.array([[row] for row in rows], np.object_)])
    except RequestError as error:
        return error.message
    return ""


def test_a_time_in_another_format_is_refused_in_the_words_for_json() -> None:
    right = serialize(day=b"31.08.2025", at=1_795_185_600, fare=1.5)
    assert refuse(right, serialize(day=b"2025-08-31")) == (
        "row 1: 'day' takes a time in the format day_first, such as 20.11.2026 14:40, or a "
        'missing value; not "2025-08-31"'
    )
    assert "row 0: 'at' takes a time" in refuse(serialize(at=1_795_185_600_000))
    assert not refuse(right, columns=())


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_an_infinite_number_is_refused(value: float) -> None:
    message = refuse(serialize(fare=1e38), serialize(day=b"", fare=value))
    assert message.startswith("row 1: 'fare' takes a finite number")
    assert not refuse(serialize(other=value))


@pytest.mark.parametrize(
    "row",
    [
        b"",
        serialize(day=b"  ", at=MISSING_INT, fare=math.nan),
        serialize(day=[b"31.08.2025", b"x"]),
        serialize(day=7),
        b"\1\2\3",
    ],
    ids=["empty", "missing", "two values", "another type", "no tf.Example"],
)
def test_missing_values_and_what_the_graph_refuses_are_left_to_the_graph(row: bytes) -> None:
    assert not refuse(row)
