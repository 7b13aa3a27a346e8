"""The table of a zone gives the offsets of Python's zoneinfo."""

import bisect
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.zones import load_zone

# With and without summer time, half hours, a zone that skipped a day, and one that moves its
# summer time with the moon.
ZONES = (
    "Europe/Berlin", "America/Chicago", "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca",
    "Australia/Lord_Howe", "Etc/GMT+5",
)  # fmt: skip


def offset_in_table(name: str, second: int) -> int:
    zone = load_zone(name)
    return zone.offsets[bisect.bisect_right(zone.changes, second)]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(ZONES), st.integers(0, 4_133_980_799))
def test_each_second_has_the_offset_of_zoneinfo(name: str, second: int) -> None:
    moment = datetime.fromtimestamp(second, ZoneInfo(name))
    assert timedelta(seconds=offset_in_table(name, second)) == moment.utcoffset()


@pytest.mark.parametrize("name", ZONES)
def test_each_change_is_found_to_the_second(name: str) -> None:
    for change in load_zone(name).changes:
        before, at = (datetime.fromtimestamp(s, ZoneInfo(name)) for s in (change - 1, change))
        assert before.utcoffset() != at.utcoffset()


def test_a_clock_time_that_occurs_twice_or_never_has_the_offset_before_the_change() -> None:
    zone, berlin = load_zone("Europe/Berlin"), ZoneInfo("Europe/Berlin")
    for text in ("2026-03-29T01:59", "2026-03-29T02:30", "2026-03-29T03:00", "2026-10-25T02:30",
                 "2026-10-25T03:00"):  # fmt: skip
        wall = datetime.fromisoformat(text)
        second = int(wall.replace(tzinfo=timezone.utc).timestamp())
        found = zone.offsets[bisect.bisect_right(zone.wall_changes, second)]
        assert timedelta(seconds=found) == wall.replace(tzinfo=berlin, fold=0).utcoffset()


@pytest.mark.parametrize(
    ("name", "offset"), [("utc", 0), ("UTC", 0), ("+05:30", 19_800), ("-0500", -18_000)]
)
def test_fixed_offsets_are_zones(name: str, offset: int) -> None:
    assert offset_in_table(name, 0) == offset_in_table(name, 2_000_000_000) == offset


@pytest.mark.parametrize("name", ["Europe/Berln", "", "../etc/passwd", "as_written"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        load_zone(name)
