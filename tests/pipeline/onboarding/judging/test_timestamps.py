"""Columns of times, by trial of the formats that a timestamp feature can have."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.config.sections.features import Timestamp
from pipeline.onboarding import propose_config

ROWS = 400


MOMENTS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=50 * i) for i in range(ROWS)]


@pytest.mark.parametrize(
    ("written", "date_format"),
    [
        ("%Y-%m-%d", "iso"),
        ("%Y-%m-%d %H:%M:%S", "iso"),
        ("%Y-%m-%dT%H:%M:%S.000Z", "iso"),
        ("%Y%m%d", "iso"),
        ("%m/%d/%Y %I:%M:%S %p", "month_first"),
        ("%d.%m.%Y %H:%M", "day_first"),
        ("%d/%m/%y", "day_first"),
        ("%s", "epoch_seconds"),
        ("%s000", "epoch_milliseconds"),
    ],
)
def test_format_and_parts_of_times_are_found(propose_feature, written, date_format):
    values = [
        written.replace("%s", str(int(m.replace(tzinfo=datetime.timezone.utc).timestamp())))
        if "%s" in written
        else m.strftime(written)
        for m in MOMENTS
    ]
    feature = propose_feature("start_time", values)
    assert isinstance(feature, Timestamp)
    assert feature.format == date_format
    assert ("hour" in feature.parts) == any(mark in written for mark in ("%H", "%I", "%s"))
    assert {"day", "month", "year", "day_of_year", "date"} <= set(feature.parts)


def test_days_of_two_months_have_no_trend(propose_feature):
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=i % 59) for i in range(ROWS)]
    assert propose_feature("start", [str(day) for day in days]).parts == ("weekday", "day", "month")


def test_hours_beyond_12_with_pm_are_read(propose_feature):
    values = [m.strftime("%m/%d/%Y %H:%M %p") for m in MOMENTS]
    assert propose_feature("start", values).format == "month_first"


@pytest.mark.parametrize(
    "odd", ["2021-02-30", "2021-04-31 10:00", "2021-04-30 10:60", "2021-04-30 13:05 AM"]
)
def test_times_that_transform_would_refuse_are_not_proposed(propose, signal, odd):
    values = [odd if i % 12 == 0 else m.isoformat() for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "start": values})
    assert "start" not in proposal.config.features


def test_points_mean_that_an_ambiguous_day_is_first(propose_feature):
    values = [f"{1 + i % 12:02d}.{1 + i % 11:02d}.2020" for i in range(ROWS)]
    assert propose_feature("d", values).format == "day_first"
    values = [v.replace(".", "/") for v in values]
    assert propose_feature("d", values).format == "month_first"


def test_implausible_years_are_left_out_with_advice(propose, signal):
    values = ["9999-12-31" if i % 2 else f"2024-02-{1 + i % 28:02}" for i in range(len(MOMENTS))]
    proposal = propose({**signal(), "until": values})
    assert "until" not in proposal.config.features
    [warning] = [w for w in proposal.warnings if w.startswith("until: ")]
    assert "not in 1800 to 2200; empty those cells" in warning


@pytest.mark.parametrize(
    ("suffixes", "zone", "why"),
    [
        (("",), "none", "no time has an offset from UTC"),
        (("Z", "+00:00"), "utc", "every time is written in UTC"),
        (("+02:00",), "+02:00", "every time has this offset from UTC"),
        (("-0530",), "-05:30", "every time has this offset from UTC"),
    ],
)
def test_the_zone_follows_from_the_offsets_and_is_explained(propose, signal, suffixes, zone, why):
    values = [m.isoformat() + suffixes[i % len(suffixes)] for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "start": values})
    assert proposal.config.features["start"].zone == zone
    assert why in proposal.path.read_text()
    assert not [warning for warning in proposal.warnings if warning.startswith("start: ")]


@pytest.mark.parametrize(
    ("suffixes", "warning"),
    [
        (("+02:00", "+01:00"), "times have the offsets +01:00, +02:00: the clock times as written"),
        (
            ("+0400", "+01:00", "+0100", "+03:00", "+02:00"),
            "the offsets +01:00, +02:00, +03:00 ...: ",
        ),
        (("Z", "+02:00"), "times have the offsets +02:00, Z: the clock times as written"),
        ((" UTC", "Z", "-0500"), "times have the offsets -05:00, Z: the clock times as written"),
        (("Z", ""), "some times have an offset from UTC and others have none: check `zone`"),
    ],
)
def test_offsets_that_do_not_count_are_told_on_screen(propose, signal, suffixes, warning):
    values = [m.isoformat() + suffixes[i % len(suffixes)] for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "start": values})
    assert proposal.config.features["start"].zone == "as_written"
    [told] = [one for one in proposal.warnings if one.startswith("start: ")]
    assert warning in told


@pytest.mark.parametrize(
    ("stored", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("UTC", "utc"),
        ("+02:00", "+02:00"),
        (None, "none"),
    ],
)
def test_a_zone_that_is_stored_with_a_column_is_proposed(
    tmp_path, monkeypatch, signal, stored, zone
):
    monkeypatch.chdir(tmp_path)
    times = pa.array(MOMENTS, pa.timestamp("s")).cast(pa.timestamp("s", stored))
    pq.write_table(pa.table({**signal(), "start": times}), "t.parquet")
    proposal = propose_config(["t.parquet"], "y", tmp_path / "my.yaml")
    assert proposal.config.features["start"].zone == zone


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("%Y-%m-%d", "iso, such as 2026-11-20 or 2026-11-20T14:40"),
        ("%d.%m.%Y", "day_first, such as 20.11.2026"),
        ("%m/%d/%Y", "month_first, such as 11/20/2026"),
    ],
)
def test_the_comment_names_the_format(propose, signal, written, shown):
    proposal = propose({**signal(), "start": [m.strftime(written) for m in MOMENTS]})
    assert f"100 % of the values are valid times of format {shown}" in proposal.path.read_text()
