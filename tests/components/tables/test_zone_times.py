"""Times of a column are converted between UTC and the clock of a zone."""

import numpy as np

from components.tables.zone_times import offsets_at, offsets_on_clock

HOUR = 3600
CHANGE = 1_774_746_000  # 2026-03-29T01:00:00Z, when summer time begins in Berlin.


def test_the_offset_changes_at_the_instant_of_the_change() -> None:
    instants = np.array([CHANGE - 1, CHANGE])
    assert offsets_at(instants, "Europe/Berlin").tolist() == [HOUR, 2 * HOUR]
    assert offsets_at(instants, "utc").tolist() == [0, 0]


def test_the_clock_of_the_zone_has_a_skipped_hour() -> None:
    wall = np.array([CHANGE + HOUR - 1, CHANGE + HOUR, CHANGE + 2 * HOUR])
    assert offsets_on_clock(wall, "Europe/Berlin").tolist() == [HOUR, HOUR, 2 * HOUR]
    assert offsets_on_clock(wall, "as_written").tolist() == [0, 0, 0]
