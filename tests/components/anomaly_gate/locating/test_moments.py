"""The start of a fault is the first affected time, or the first period that differs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from components.anomaly_gate.locating.moments import find_start, read_moments
from pipeline.core.date_formats import TimestampFormat

DAY = 86_400 * 1e6
FIRST = 20_000 * DAY
"""2024-10-04, a Friday."""
RANDOM = np.random.default_rng(0)


def text(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([c and c.encode() for c in cells], pa.large_binary())])


@pytest.mark.parametrize(
    ("cells", "time_format"),
    [
        (text("2024-10-05T12:00", None, "soon"), "iso"),
        (text("05.10.2024 12:00", None, "soon"), "day_first"),
        (text("10/05/2024 12:00 PM", None, "soon"), "month_first"),
        (text("10/25/2024", None, "10/05/2024 12:00"), None),
        (pa.chunked_array([[1728129600, None, None]]), "epoch_seconds"),
        (pa.chunked_array([[1728129600000, None, None]]), "epoch_milliseconds"),
        (pa.chunked_array([[1728129600000, None, None]]), None),
    ],
)
def test_times_are_read(cells: pa.ChunkedArray, time_format: TimestampFormat | None) -> None:
    moments = read_moments(cells, time_format)
    assert np.nanmin(moments) == FIRST + 1.5 * DAY
    assert np.isnan(moments[1])


def test_a_value_that_never_occurred_began_with_its_first_row() -> None:
    moments = FIRST + np.array([3.25, 1.0, np.nan, 2.5, 0]) * DAY
    affected = np.array([True, False, True, True, False])
    assert find_start(moments, affected, 0.0) == "2024-10-06 12:00"
    assert find_start(moments, np.array([False, True, False, False, False]), 0.0) == "2024-10-05"
    assert find_start(moments, np.zeros(5, bool), 0.0) == ""


@pytest.mark.parametrize(
    ("days", "start"), [(2, "the hour from 2024-10-05"), (30, "the day 2024-10-19"),
                        (300, "the week from 2025-03-03")],
)  # fmt: skip
def test_a_share_that_moved_began_with_the_first_such_period(days: int, start: str) -> None:
    moments = FIRST + np.sort(RANDOM.random(20_000)) * days * DAY
    # The fault begins in the middle.
    share = np.where(moments < FIRST + days / 2 * DAY, 0.1, 0.6)
    assert find_start(moments, RANDOM.random(20_000) < share, 0.1) == start


def test_chance_is_no_start() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        moments = FIRST + random.random(500) * 30 * DAY
        assert find_start(moments, random.random(500) < 0.3, 0.29) == ""
