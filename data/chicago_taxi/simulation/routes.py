"""Where trips start and end: a gravity model of areas, nightlife, and airports.

The public data hides the census tract if few trips would make a rider recognizable. The position is
then the area's centre. Outside the city, the public data gives no place at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.areas import (
    DROPOFFS,
    KINDS,
    LATITUDE,
    LONGITUDE,
    PICKUPS,
    TRACTS,
    distance_km,
    is_kind,
    tract_position,
)
from simulation.sampling import Bools, Floats, Ints, cumulative, decide, pick_by_row
from simulation.times import Start

# The distance over which the attraction of a place falls; trips to and from airports may be long.
REACH_KM = 4.0
AIRPORT_REACH_KM = 60.0
# Trips per ten thousand at which half of an area's tracts are hidden.
HIDING_WEIGHT = 95.0
HIDDEN_LATE = 0.15

# Six four-hour spans from midnight: how much busier each kind of area is than on average.
SPAN_HOURS = 4
BUSY = {
    "centre": (0.6, 0.4, 1.1, 1.3, 1.5, 1.2),
    "nightlife": (1.5, 0.7, 0.7, 0.7, 1.0, 1.6),
    "airport": (0.4, 0.2, 0.9, 1.4, 1.6, 1.4),
    "residential": (0.8, 0.8, 1.2, 1.0, 1.2, 1.2),
    "suburb": (0.8, 0.7, 1.2, 1.1, 1.1, 1.0),
}


@dataclass(frozen=True)
class Route:
    """Both ends of each trip, the straight distance, and whether the tracts are published."""

    pickup: Ints
    dropoff: Ints
    pickup_tract: Ints
    dropoff_tract: Ints
    straight_km: Floats
    tracts_published: Bools

    @property
    def from_airport(self) -> Bools:
        """Picked up at an airport, which the city taxes."""
        return is_kind(self.pickup, "airport")

    @property
    def to_airport(self) -> Bools:
        """Dropped off at an airport."""
        return is_kind(self.dropoff, "airport")

    @property
    def airport(self) -> Bools:
        """Either end at an airport."""
        return self.from_airport | self.to_airport


def _pickup_shares() -> Floats:
    """Shares of the areas among pickups, a row for each span of the day."""
    busy = np.array([BUSY[str(kind)] for kind in KINDS])
    return cumulative(busy.T * PICKUPS)


def _dropoff_shares() -> Floats:
    """Shares of the areas among dropoffs, a row for each pickup area."""
    apart = distance_km(LATITUDE[:, None] - LATITUDE, LONGITUDE[:, None] - LONGITUDE)
    airport = KINDS == "airport"
    reach = np.where(airport[:, None] | airport, AIRPORT_REACH_KM, REACH_KM)
    pull = np.exp(-apart / reach)
    # Almost nobody takes a taxi from an airport to an airport.
    pull[np.ix_(airport, airport)] = 0.02
    # The suburbs are all around, so no area is far from them.
    pull[:, 0] = np.where(airport, 2.0, 0.35)
    return cumulative(pull * DROPOFFS)


PICKUP_SHARES = _pickup_shares()
DROPOFF_SHARES = _dropoff_shares()
HIDDEN = 1.0 / (1.0 + (PICKUPS + DROPOFFS) / 2.0 / HIDING_WEIGHT)


def _draw_tracts(rng: np.random.Generator, area: Ints) -> Ints:
    return (TRACTS[area] * rng.random(area.shape[0])).astype(np.int64)


def _publish_tracts(rng: np.random.Generator, pickup: Ints, dropoff: Ints, late: Bools) -> Bools:
    """Both tracts of a trip are published, or neither; at quiet hours fewer are."""
    published = (1.0 - HIDDEN[pickup]) * (1.0 - HIDDEN[dropoff])
    return decide(rng, published * (1.0 - HIDDEN_LATE * late))


def draw_routes(rng: np.random.Generator, start: Start) -> Route:
    """Draw both ends of each trip."""
    size = start.hour.shape[0]
    pickup = pick_by_row(PICKUP_SHARES, start.hour // SPAN_HOURS, rng.random(size))
    dropoff = pick_by_row(DROPOFF_SHARES, pickup, rng.random(size))
    tracts = _draw_tracts(rng, pickup), _draw_tracts(rng, dropoff)
    from_north, from_east = tract_position(pickup, tracts[0])
    to_north, to_east = tract_position(dropoff, tracts[1])
    straight_km = distance_km(to_north - from_north, to_east - from_east)
    published = _publish_tracts(rng, pickup, dropoff, start.late)
    return Route(pickup, dropoff, *tracts, straight_km, published)
