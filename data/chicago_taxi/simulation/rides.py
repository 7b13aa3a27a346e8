"""What the meter measures: miles, seconds and the fare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.fleet import RECORDS_MILES, draw_companies
from simulation.routes import Route
from simulation.sampling import Bools, Floats, Ints, decide, spread
from simulation.times import Start

KM_PER_MILE = 1.609344
DETOUR = 1.28
ROUND_THE_BLOCK_KM = 0.35

# Miles an hour on a trip of one mile; longer trips use faster roads.
MILE_SPEED = 9.6
SPEED_GROWTH = 0.43
# Speed by hour from midnight, in percent of a quiet afternoon's.
# fmt: off
WEEKDAY_PACE = (
    130, 135, 140, 145, 160, 160, 135, 95, 78, 82, 98, 100,
    98, 98, 95, 88, 80, 74, 80, 95, 105, 112, 120, 125,
)
WEEKEND_PACE = (
    115, 115, 118, 125, 140, 155, 155, 145, 130, 118, 110, 105,
    100, 100, 98, 98, 98, 96, 95, 98, 105, 110, 112, 112,
)
# fmt: on
PACE: Floats = np.array((WEEKDAY_PACE, WEEKEND_PACE)) / 100.0
SHARE_OF_UNTIMED_TRIPS = 0.001

# The city's tariff in cents: a flag, then a step for each ninth of a mile or 36 seconds of waiting.
FLAG = 325
STEP = 20
STEP_FROM_2016 = 25
STEPS_PER_MILE = 9
SECONDS_PER_STEP = 36
SHARE_OF_TIME_WAITING = 0.22
# Sometimes driver and rider agree on whole dollars, whatever the meter says.
SHARE_OF_AGREED_FARES = 0.006


@dataclass(frozen=True)
class Ride:
    """What the meter measures of each trip. Cents and tenths of a mile are integers, so exact."""

    company: Ints
    tenth_miles: Ints
    miles_recorded: Bools
    seconds: Ints
    time_recorded: Bools
    fare: Ints


def _drive(rng: np.random.Generator, straight_km: Floats) -> Ints:
    """Tenths of a mile driven, at least one; streets form a grid, which makes trips longer."""
    size = straight_km.shape[0]
    driven_km = (DETOUR * straight_km + ROUND_THE_BLOCK_KM) * spread(rng, size, 0.12)
    tenths = np.rint(10.0 * driven_km / KM_PER_MILE).astype(np.int64)
    return np.asarray(np.maximum(1, tenths))


def _take_time(rng: np.random.Generator, start: Start, tenth_miles: Ints) -> Ints:
    """Duration of each trip in seconds, in whole minutes as in the public data."""
    miles = tenth_miles / 10.0
    pace = PACE[start.weekend.astype(np.int64), start.hour]
    speed = MILE_SPEED * miles**SPEED_GROWTH * pace * spread(rng, miles.shape[0], 0.2)
    minutes = np.rint(60.0 * miles / speed).astype(np.int64)
    return np.asarray(60 * np.maximum(1, minutes))


def _charge(rng: np.random.Generator, year: Ints, tenth_miles: Ints, seconds: Ints) -> Ints:
    """The fare in cents: the meter's whole steps, or an agreed fare."""
    size = year.shape[0]
    waiting = SHARE_OF_TIME_WAITING * seconds * spread(rng, size, 0.4) / SECONDS_PER_STEP
    steps = np.floor(STEPS_PER_MILE * tenth_miles / 10.0 + waiting).astype(np.int64)
    metered = FLAG + np.where(year >= 2016, STEP_FROM_2016, STEP) * steps
    agreed = 100 * np.rint(metered / 100.0 * spread(rng, size, 0.6)).astype(np.int64)
    is_agreed = rng.random(size) < SHARE_OF_AGREED_FARES
    return np.where(is_agreed, np.maximum(agreed, FLAG), metered)


def draw_rides(rng: np.random.Generator, start: Start, route: Route) -> Ride:
    """Draw company, distance, duration and fare of each trip."""
    company = draw_companies(rng, route.pickup.shape[0])
    tenth_miles = _drive(rng, route.straight_km)
    seconds = _take_time(rng, start, tenth_miles)
    return Ride(
        company=company,
        tenth_miles=tenth_miles,
        miles_recorded=decide(rng, RECORDS_MILES[company]),
        seconds=seconds,
        time_recorded=rng.random(company.shape[0]) >= SHARE_OF_UNTIMED_TRIPS,
        fare=_charge(rng, start.year, tenth_miles, seconds),
    )
