"""When trips start: years of falling demand, busy weekends, short nights on weekdays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.sampling import Bools, Floats, Ints, cumulative, pick, pick_by_row

FIRST_DAY = np.datetime64("2013-01-01")
YEAR_WEIGHT = {2013: 29, 2014: 33, 2015: 27, 2016: 11}
MONTH_WEIGHT = (72, 80, 85, 87, 87, 89, 84, 87, 83, 90, 83, 83)
# Sunday first, as in the public data's trip_start_day.
DAY_WEIGHT = (130, 128, 131, 136, 147, 167, 161)
HOUR_WEIGHT = (
    # Weekdays, then weekends; both from midnight to eleven at night.
    (27, 20, 14, 8, 7, 8, 15, 26, 44, 53, 51, 47, 52, 50, 51, 49, 53, 59, 66, 71, 67, 59, 56, 47),
    (72, 71, 62, 47, 26, 14, 8, 9, 15, 22, 29, 35, 41, 42, 42, 45, 47, 49, 55, 55, 56, 54, 55, 49),
)
QUARTER_SECONDS = 900
DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Start:
    """The start of each trip, to the quarter of an hour (the public data is rounded too)."""

    year: Ints
    month: Ints
    weekday: Ints
    hour: Ints
    timestamp: Ints

    @property
    def weekend(self) -> Bools:
        """Saturday or Sunday."""
        return np.asarray((self.weekday == 1) | (self.weekday == 7))

    @property
    def late(self) -> Bools:
        """The hours after the theatres close and before the first commuters."""
        return np.asarray((self.hour >= 22) | (self.hour < 4))

    @property
    def office_hours(self) -> Bools:
        """When the employer is likely to pay."""
        return np.asarray(~self.weekend & (self.hour >= 7) & (self.hour < 19))


def _all_days() -> tuple[Ints, Ints, Ints]:
    """Year, month and weekday of every day of the period."""
    end = np.datetime64(f"{max(YEAR_WEIGHT) + 1}-01-01")
    days = np.arange(FIRST_DAY, end)
    months = days.astype("datetime64[M]").astype(np.int64)
    # Day 0 of the epoch was a Thursday, the fifth day when Sunday is the first.
    weekday = (days.astype(np.int64) + 4) % 7 + 1
    return months // 12 + 1970, months % 12 + 1, weekday


YEAR, MONTH, WEEKDAY = _all_days()
HOUR_SHARES = cumulative(HOUR_WEIGHT)


def _day_shares() -> Floats:
    year = np.array([YEAR_WEIGHT[int(year)] for year in YEAR])
    return cumulative(year * np.array(MONTH_WEIGHT)[MONTH - 1] * np.array(DAY_WEIGHT)[WEEKDAY - 1])


DAY_SHARES = _day_shares()


def draw_starts(rng: np.random.Generator, size: int) -> Start:
    """Draw the start of each trip: a day, an hour that suits it, a quarter of that hour."""
    day = pick(DAY_SHARES, rng.random(size))
    weekend = np.isin(WEEKDAY[day], (1, 7)).astype(np.int64)
    hour = pick_by_row(HOUR_SHARES, weekend, rng.random(size))
    quarter = (4 * rng.random(size)).astype(np.int64)
    epoch_day = day + FIRST_DAY.astype(np.int64)
    timestamp = epoch_day * DAY_SECONDS + hour * 3600 + quarter * QUARTER_SECONDS
    return Start(YEAR[day], MONTH[day], WEEKDAY[day], hour, timestamp)
