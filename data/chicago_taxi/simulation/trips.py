"""A block of trips as an Arrow table with the public data set's columns and the label."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from simulation.areas import LATITUDE, LONGITUDE, tract_code, tract_position
from simulation.fleet import COMPANIES
from simulation.rides import Ride, draw_rides
from simulation.routes import Route, draw_routes
from simulation.sampling import Bools, Floats, Ints
from simulation.times import Start, draw_starts
from simulation.tipping import PAYMENT_TYPES, Payment, draw_payments

BLOCK_ROWS = 100_000

SCHEMA = pa.schema(
    [
        ("pickup_community_area", pa.int64()),
        ("fare", pa.float64()),
        ("trip_start_month", pa.int64()),
        ("trip_start_hour", pa.int64()),
        ("trip_start_day", pa.int64()),
        ("trip_start_timestamp", pa.int64()),
        ("pickup_latitude", pa.float64()),
        ("pickup_longitude", pa.float64()),
        ("dropoff_latitude", pa.float64()),
        ("dropoff_longitude", pa.float64()),
        ("trip_miles", pa.float64()),
        ("pickup_census_tract", pa.int64()),
        ("dropoff_census_tract", pa.int64()),
        ("payment_type", pa.string()),
        ("company", pa.string()),
        ("trip_seconds", pa.int64()),
        ("dropoff_community_area", pa.int64()),
        ("tips", pa.float64()),
        ("big_tipper", pa.int64()),
    ]
)


def _names(names: list[str], index: Ints) -> pa.Array:
    """Look up names; the empty name becomes a missing value."""
    return pa.array([name or None for name in names], pa.string()).take(pa.array(index))


def _time_columns(start: Start) -> dict[str, pa.Array]:
    return {
        "trip_start_month": pa.array(start.month),
        "trip_start_hour": pa.array(start.hour),
        "trip_start_day": pa.array(start.weekday),
        "trip_start_timestamp": pa.array(start.timestamp),
    }


def _published_position(area: Ints, tract: Ints, exact: Bools) -> tuple[Floats, Floats]:
    """The tract's centre if the tract is published, else the area's centre."""
    latitude, longitude = tract_position(area, tract)
    latitude = np.where(exact, latitude, LATITUDE[area])
    longitude = np.where(exact, longitude, LONGITUDE[area])
    return np.round(latitude, 6), np.round(longitude, 6)


def _place_columns(end: str, area: Ints, tract: Ints, exact: Bools) -> dict[str, pa.Array]:
    """One end of the trips; outside the city everything is missing."""
    outside = area == 0
    latitude, longitude = _published_position(area, tract, exact)
    return {
        f"{end}_community_area": pa.array(area, mask=outside),
        f"{end}_latitude": pa.array(latitude, mask=outside),
        f"{end}_longitude": pa.array(longitude, mask=outside),
        f"{end}_census_tract": pa.array(tract_code(area, tract), mask=outside | ~exact),
    }


def _route_columns(route: Route) -> dict[str, pa.Array]:
    exact = route.tracts_published
    return {
        **_place_columns("pickup", route.pickup, route.pickup_tract, exact),
        **_place_columns("dropoff", route.dropoff, route.dropoff_tract, exact),
    }


def _ride_columns(ride: Ride) -> dict[str, pa.Array]:
    return {
        "company": _names([company.name for company in COMPANIES], ride.company),
        "fare": pa.array(ride.fare / 100.0),
        # A meter that records no miles reports zero, as in the public data.
        "trip_miles": pa.array(np.where(ride.miles_recorded, ride.tenth_miles, 0) / 10.0),
        "trip_seconds": pa.array(ride.seconds, mask=~ride.time_recorded),
    }


def _payment_columns(payment: Payment, fare: Ints) -> dict[str, pa.Array]:
    big_tipper = 5 * payment.tips > fare
    return {
        "payment_type": _names(list(PAYMENT_TYPES), payment.kind),
        "tips": pa.array(payment.tips / 100.0),
        "big_tipper": pa.array(big_tipper.astype(np.int64)),
    }


def simulate_block(seed: int, block: int) -> pa.Table:
    """Simulate one block. Its trips depend only on the seed and the block's number."""
    rng = np.random.default_rng([seed, block])
    start = draw_starts(rng, BLOCK_ROWS)
    route = draw_routes(rng, start)
    ride = draw_rides(rng, start, route)
    payment = draw_payments(rng, start, route, ride)
    columns = {
        **_time_columns(start),
        **_route_columns(route),
        **_ride_columns(ride),
        **_payment_columns(payment, ride.fare),
    }
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)
