"""Values that are no times in a column of times."""

from typing import Any

import numpy as np
import pytest

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from pipeline.core.date_formats import TimeColumn, TimestampFormat
from serving.errors import RequestError
from serving.rows.signature import DType, Signature, Tensor
from serving.rows.times import refuse_unreadable_times


def refuse(
    dtype: DType, time_format: TimestampFormat, *values: Any, zone: str = "as_written"
) -> str:
    """Returns the message about a column of two, of which the first holds no times."""
    day = Tensor("day", dtype, 2, 1, TimeColumn(time_format, zone))
    signature = Signature("serving_default", (Tensor("a", dtype, 2, 1), day), ())
    kind = {"string": np.object_, "int64": np.int64, "float32": np.float32}[dtype]
    column = np.array(values, kind)
    try:
        refuse_unreadable_times(signature, [np.stack([column[::-1], column], axis=1)])
    except RequestError as error:
        return error.message
    return ""


def test_a_time_in_another_format_is_refused_with_row_format_and_example() -> None:
    message = refuse("string", "day_first", b"31.08.2025", b"", b"2025-08-31", b"gestern")
    assert message == (
        "row 2: 'day' takes a time in the format day_first, such as 20.11.2026 14:40, or a "
        'missing value; not "2025-08-31"'
    )


@pytest.mark.parametrize("offset", [b"Z", b"+02:00", b"-05:00", b"+0530"])
def test_an_offset_is_refused_where_nothing_tells_how_to_convert_it(offset: bytes) -> None:
    plain = b"2025-08-31T14:40:00"
    assert not refuse("string", "iso", plain, zone="none")
    message = refuse("string", "iso", plain, plain + offset, zone="none")
    assert message.startswith("row 1: 'day' takes a time in the format iso, ")
    assert ", without an offset from UTC, or a missing value; " in message
    for zone in ("as_written", "utc", "Europe/Berlin"):
        assert not refuse("string", "iso", plain, plain + offset, zone=zone)


@pytest.mark.parametrize("value", [b"gestern", b"32.13.2025", b"\xff", b"9" * 500])
def test_text_that_is_no_time_is_refused(value: bytes) -> None:
    message = refuse("string", "day_first", value)
    assert message.startswith("row 0: 'day' takes a time")
    assert len(message) < 250


def test_missing_times_are_no_error() -> None:
    assert not refuse("string", "iso", b"", b"  ", MISSING_STRING.encode(), b"2026-11-20")
    assert not refuse("int64", "epoch_seconds", MISSING_INT, 0, 1_795_185_600)
    assert not refuse("int64", "iso", MISSING_INT, 20261120)
    assert not refuse("float32", "epoch_seconds", np.nan, 1.8e9)
    assert not refuse("float32", "iso", np.nan, 20261120)


def test_numbers_beyond_the_calendar_are_refused() -> None:
    milliseconds = 1_795_185_600_000
    assert not refuse("int64", "epoch_milliseconds", milliseconds)
    message = refuse("int64", "epoch_seconds", 0, milliseconds)
    assert message.endswith(f"such as 1795185600, or a missing value; not {milliseconds}")
    assert "not Infinity" in refuse("float32", "epoch_seconds", np.inf)
    assert "not 1.5" in refuse("float32", "iso", 1.5)
