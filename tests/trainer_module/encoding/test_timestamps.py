"""Parsing timestamps with TensorFlow operations gives what Python's datetime gives."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from trainer_module.encoding.timestamps import Moment, parse_moment

_FORMATS = {
    "iso": "{:%Y-%m-%dT%H:%M:%S}",
    "month_first": "{:%m/%d/%Y %I:%M:%S %p}",
    "day_first": "{:%d.%m.%Y %H:%M}",
}


def moments_since(year: int) -> st.SearchStrategy[list[dt.datetime]]:
    moments = st.datetimes(dt.datetime(year, 1, 1), dt.datetime(9999, 12, 31))
    return st.lists(moments, min_size=1, max_size=50)


def column(*values: Any) -> tf.Tensor:
    return tf.constant([[value] for value in values])


def fields(moment: Moment) -> list[tuple[Any, ...]]:
    """Returns year, month, day, weekday and hour of each moment; None for an invalid moment."""
    parts = (moment.year, moment.month, moment.day, moment.weekday, moment.hour)
    rows = np.concatenate([part.numpy().astype(float) for part in parts], axis=1)
    return [
        tuple(row.round(3)) if valid else None
        for row, valid in zip(rows, moment.is_valid.numpy()[:, 0], strict=True)
    ]


def expected(moment: dt.datetime) -> tuple[float, ...]:
    hour = round(moment.hour + moment.minute / 60, 3)
    return (moment.year, moment.month, moment.day, moment.weekday(), hour)


@settings(deadline=None, max_examples=20)
@given(moments_since(1000), st.sampled_from(sorted(_FORMATS)))
def test_dates_as_text_parse_as_in_python(moments: list[dt.datetime], date_format: str) -> None:
    texts = [_FORMATS[date_format].format(moment) for moment in moments]
    parsed = fields(parse_moment(column(*texts), date_format))
    assert parsed == [expected(moment) for moment in moments]


@settings(deadline=None, max_examples=20)
@given(moments_since(1000))
def test_dates_are_counted_as_in_python(moments: list[dt.datetime]) -> None:
    parsed = parse_moment(column(*(f"{moment:%Y-%m-%d}" for moment in moments)), "iso")
    since = dt.date(2000, 1, 1).toordinal()
    assert parsed.date.numpy()[:, 0].tolist() == [m.toordinal() - since for m in moments]
    days = [m.timetuple().tm_yday for m in moments]
    assert parsed.day_of_year.numpy()[:, 0].tolist() == days


def test_a_date_has_the_time_of_day_as_its_fraction() -> None:
    texts = ("2026-11-20 00:00", "2026-11-20 12:00", "2026-11-20 12:05")
    parsed = parse_moment(column(*texts), "iso").date.numpy()[:, 0]
    assert parsed[1] - parsed[0] == 0.5
    # float32 keeps about 42 seconds of today's dates.
    assert (parsed[2] - parsed[1]) * 24 * 60 == pytest.approx(5, abs=0.75)


@settings(deadline=None, max_examples=20)
@given(moments_since(1), st.sampled_from([1, 1000]))
def test_seconds_and_milliseconds_since_1970_parse_as_in_python(
    moments: list[dt.datetime], units: int
) -> None:
    epoch = dt.datetime(1970, 1, 1)
    values = [((moment - epoch) // dt.timedelta(seconds=1)) * units for moment in moments]
    date_format = "epoch_seconds" if units == 1 else "epoch_milliseconds"
    wanted = [expected(moment) for moment in moments]
    assert fields(parse_moment(column(*values), date_format)) == wanted
    assert fields(parse_moment(column(*map(str, values)), date_format)) == wanted


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.datetimes(dt.datetime(1978, 1, 1), dt.datetime(2022, 1, 1)), min_size=1),
    st.sampled_from(["as_written", "utc", "Europe/Berlin"]),
)
def test_text_and_seconds_of_the_same_moment_are_the_same_date(
    moments: list[dt.datetime], zone: str
) -> None:
    epoch = dt.datetime(1970, 1, 1)
    seconds = [(moment - epoch) // dt.timedelta(seconds=1) for moment in moments]
    wanted = parse_moment(column(*seconds), "epoch_seconds", zone).date.numpy()
    for date_format in ("iso", "month_first"):
        form = _FORMATS[date_format] + ("" if zone == "as_written" else " Z")
        texts = column(*map(form.format, moments))
        parsed = parse_moment(texts, date_format, zone).date.numpy()
        np.testing.assert_array_equal(parsed, wanted)
    if zone == "utc":
        since = np.array([[(m - dt.datetime(2000, 1, 1)).total_seconds()] for m in moments])
        # Fractions of a second are left out.
        assert np.abs(wanted.astype(np.float64) * 86_400 - since).max() <= 21.1 + 1


def test_a_leap_second_belongs_to_its_day() -> None:
    parsed = parse_moment(column("2016-12-31T23:59:60", "2016-12-31T23:59:59"), "iso")
    assert parsed.is_valid.numpy().all()
    assert parsed.day.numpy().tolist() == [[31], [31]]
    assert parsed.date.numpy()[0] == parsed.date.numpy()[1]


@pytest.mark.parametrize(
    ("date_format", "text", "parsed"),
    [
        ("iso", "2026-11-20", (2026, 11, 20, 4, 0.0)),
        ("iso", " 2026/1/2 14:40 ", (2026, 1, 2, 4, 14.667)),
        ("iso", "20261120", (2026, 11, 20, 4, 0.0)),
        ("iso", "2026-11-20T14:40:00.123+01:00", (2026, 11, 20, 4, 14.667)),
        ("iso", "2026-11-20T14:40:00Z", (2026, 11, 20, 4, 14.667)),
        ("iso", "2024-02-29", (2024, 2, 29, 3, 0.0)),
        ("iso", "2023-02-29", None),
        ("iso", "1900-02-29", None),
        ("iso", "2026-13-01", None),
        ("iso", "2026-11-20T24:00:00", None),
        ("iso", "0000-01-01", None),
        ("iso", "20 November", None),
        ("iso", "", None),
        ("iso", MISSING_STRING, None),
        ("month_first", "11/20/2026 02:40:00 PM", (2026, 11, 20, 4, 14.667)),
        ("month_first", "11/20/2026 12:05 AM", (2026, 11, 20, 4, 0.083)),
        ("month_first", "11/20/2026 12:05 pm", (2026, 11, 20, 4, 12.083)),
        ("month_first", "11/20/2026 00:05 AM", (2026, 11, 20, 4, 0.083)),
        ("month_first", "11/20/2026 13:05 PM", (2026, 11, 20, 4, 13.083)),
        ("month_first", "11/20/2026 13:05 AM", None),
        ("month_first", "11/20/2026 24:05 PM", None),
        ("month_first", "1/2/26", (2026, 1, 2, 4, 0.0)),
        ("month_first", "1/2/70", (1970, 1, 2, 4, 0.0)),
        ("month_first", "20/11/2026", None),
        ("day_first", "20.11.2026, 14:40", (2026, 11, 20, 4, 14.667)),
        ("day_first", "31.4.2026", None),
        ("epoch_seconds", "1763649600.5", (2025, 11, 20, 3, 14.667)),
        ("epoch_seconds", "-1", (1969, 12, 31, 2, 23.983)),
        ("epoch_seconds", "999999999999", None),
        ("epoch_seconds", "soon", None),
    ],
)
def test_a_date_parses_to_its_fields_or_is_invalid(
    date_format: str, text: str, parsed: tuple[float, ...] | None
) -> None:
    assert fields(parse_moment(column(text), date_format)) == [parsed]


def test_epochs_of_any_dtype_may_be_missing() -> None:
    assert fields(parse_moment(column(0, MISSING_INT), "epoch_seconds"))[1] is None
    assert fields(parse_moment(column(0.0, float("nan")), "epoch_seconds"))[1] is None
    assert fields(parse_moment(column(1e9), "epoch_seconds")) == [(2001, 9, 9, 6, 1.767)]


_ZONES = ("utc", "Europe/Berlin", "America/Chicago", "Asia/Kolkata", "-05:30")
_OFFSETS = {"Z": 0, " UTC": 0, "+02:00": 120, "-05:00": -300, "+0530": 330, "-00:00": 0}


def zone_info(name: str) -> dt.tzinfo:
    if name == "-05:30":
        return dt.timezone(-dt.timedelta(hours=5, minutes=30))
    return dt.timezone.utc if name == "utc" else ZoneInfo(name)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.datetimes(dt.datetime(1971, 1, 1), dt.datetime(2100, 1, 1)), min_size=1),
    st.sampled_from(sorted(_FORMATS)),
    st.sampled_from(sorted(_OFFSETS)),
    st.sampled_from(_ZONES),
)
def test_a_time_with_an_offset_is_converted_to_the_zone(
    moments: list[dt.datetime], date_format: str, suffix: str, zone: str
) -> None:
    texts = [_FORMATS[date_format].format(moment) + suffix for moment in moments]
    written = dt.timezone(dt.timedelta(minutes=_OFFSETS[suffix]))
    wanted = [m.replace(tzinfo=written).astimezone(zone_info(zone)) for m in moments]
    parsed = parse_moment(column(*texts), date_format, zone)
    assert fields(parsed) == [expected(moment) for moment in wanted]
    # The clock time as written does not depend on the offset.
    assert fields(parse_moment(column(*texts), date_format)) == [expected(m) for m in moments]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.integers(0, 4_000_000_000), min_size=1), st.sampled_from(_ZONES))
def test_seconds_since_1970_are_converted_to_the_zone(seconds: list[int], zone: str) -> None:
    wanted = [expected(dt.datetime.fromtimestamp(s, zone_info(zone))) for s in seconds]
    assert fields(parse_moment(column(*seconds), "epoch_seconds", zone)) == wanted


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        # Summer time begins in Berlin on 29 March 2026 at 01:00 UTC, and ends on 25 October.
        ("2026-03-29T00:59:59Z", 1.983),
        ("2026-03-29T01:00:00Z", 3.0),
        ("2026-03-29T03:00:00+02:00", 3.0),
        ("2026-03-28T20:00:00-05:00", 3.0),
        ("2026-10-25T00:30:00Z", 2.5),
        ("2026-10-25T01:30:00Z", 2.5),
        ("2026-10-25T02:30:00+01:00", 2.5),
        # Without an offset, the text shows the clock of Berlin, even a time that it skips.
        ("2026-03-29T02:30:00", 2.5),
        ("2026-10-25T02:30:00", 2.5),
        ("2026-07-01", 0.0),
        ("2026-07-01Z", 2.0),
        ("20260701T0", None),
        ("2026-07-01T12:00+24:00", None),
    ],
)
def test_the_hour_around_a_change_to_summer_time(text: str, hour: float | None) -> None:
    (parsed,) = fields(parse_moment(column(text), "iso", "Europe/Berlin"))
    assert (parsed and parsed[-1]) == hour


@pytest.mark.parametrize(
    ("date_format", "text"), [("day_first", "20-11-2026"), ("month_first", "11-20-2026 10:00")]
)
def test_a_year_after_a_dash_is_no_offset(date_format: str, text: str) -> None:
    plain = fields(parse_moment(column(text), date_format))
    assert plain == fields(parse_moment(column(text), date_format, "Asia/Kolkata"))
    assert plain[0] is not None
