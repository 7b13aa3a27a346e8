"""Dates in three formats become microseconds since 1970."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.timestamps import days_in_month, offsets_at, offsets_on_clock, parse_times

HOUR = 3600
CHANGE = 1_774_746_000  # 2026-03-29T01:00:00Z, when summer time begins in Berlin.


@given(st.datetimes())
def test_iso_times_are_read_to_the_microsecond(moment):
    (parsed,) = parse_times(pa.array([moment.isoformat()]), "iso").to_pylist()
    assert parsed == np.datetime64(moment, "us").astype(np.int64)


@given(st.datetimes())
def test_month_and_day_first_mean_the_same_moment(moment):
    moment = moment.replace(microsecond=0)
    year = f"{moment.year:04}"
    american = pa.array([moment.strftime("%m/%d/") + year + moment.strftime(" %I:%M:%S %p")])
    european = pa.array([moment.strftime("%d.%m.") + year + moment.strftime(" %H:%M:%S")])
    expected = [np.datetime64(moment, "us").astype(np.int64)]
    assert parse_times(american, "month_first").to_pylist() == expected
    assert parse_times(european, "day_first").to_pylist() == expected


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-13-01", "2026-01-01 24:00", "2026-01-01 10:60", "soon", "", None]
)
def test_text_that_is_no_time_becomes_null(text):
    assert parse_times(pa.array([text], pa.string()), "iso").to_pylist() == [None]


def test_times_with_zones_are_converted_to_utc():
    texts = ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00Z", "2025-12-31T23:00:00-0100"]
    assert len(set(parse_times(pa.array(texts), "iso").to_pylist())) == 1


def test_days_in_month_knows_leap_years_and_the_end_of_the_year():
    years, months = np.array([2024, 2025, 1900, 2025]), np.array([2, 2, 2, 12])
    assert days_in_month(years, months).tolist() == [29, 28, 28, 31]


def test_a_time_without_an_offset_is_of_the_zone():
    texts = pa.array(["2026-07-01T12:00", "2026-01-01T12:00", "2026-07-01T12:00+00:00"])
    berlin = parse_times(texts, "iso", "Europe/Berlin").to_pylist()
    assert (
        berlin
        == parse_times(
            pa.array(["2026-07-01T10:00Z", "2026-01-01T11:00 UTC", "2026-07-01T12:00Z"]), "iso"
        ).to_pylist()
    )
    assert parse_times(texts, "iso").to_pylist() == parse_times(texts, "iso", "utc").to_pylist()


def test_the_offset_changes_at_the_instant_of_the_change() -> None:
    instants = np.array([CHANGE - 1, CHANGE])
    assert offsets_at(instants, "Europe/Berlin").tolist() == [HOUR, 2 * HOUR]
    assert offsets_at(instants, "utc").tolist() == [0, 0]


def test_the_clock_of_the_zone_has_a_skipped_hour() -> None:
    wall = np.array([CHANGE + HOUR - 1, CHANGE + HOUR, CHANGE + 2 * HOUR])
    assert offsets_on_clock(wall, "Europe/Berlin").tolist() == [HOUR, HOUR, 2 * HOUR]
    assert offsets_on_clock(wall, "as_written").tolist() == [0, 0, 0]
