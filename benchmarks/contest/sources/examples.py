"""Tables of this project, of scikit-learn and of plotnine."""

from __future__ import annotations

import pandas as pd
from sklearn import datasets

from benchmarks.contest.sources.files import read_csv
from benchmarks.measuring.process import ROOT


def make_bikes() -> pd.DataFrame:
    """Returns hours of weather, and the bikes that were rented."""
    return pd.read_csv(ROOT / "data/bike_sharing/bike_sharing.csv")


def make_penguins() -> pd.DataFrame:
    """Returns penguins and their species."""
    return pd.read_csv(ROOT / "data/penguins/penguins.csv")


def make_tumours() -> pd.DataFrame:
    """Returns measures of cells, and the diagnosis."""
    bunch = datasets.load_breast_cancer(as_frame=True)
    return bunch.data.assign(diagnosis=bunch.target.map(dict(enumerate(bunch.target_names))))


def make_digits() -> pd.DataFrame:
    """Returns images of 8 by 8 pixels, and the digit."""
    bunch = datasets.load_digits(as_frame=True)
    return bunch.data.astype(int).assign(digit=bunch.target)


def make_wines() -> pd.DataFrame:
    """Returns chemical analyses of wines, and the cultivar."""
    bunch = datasets.load_wine(as_frame=True)
    return bunch.data.assign(cultivar=bunch.target.map(dict(enumerate(bunch.target_names))))


def make_diamonds() -> pd.DataFrame:
    """Returns diamonds with price and cut."""
    return read_csv("plotnine/data/diamonds.csv")


def make_houses() -> pd.DataFrame:
    """Drops `volume`, which is about sales times the label, and `date`, which is year and month."""
    table = read_csv("plotnine/data/txhousing.csv").drop(columns=["volume", "date"])
    return table.dropna(subset=["median"])


def make_mileages() -> pd.DataFrame:
    """Returns cars and their miles per gallon on a highway, without those in a city."""
    return read_csv("plotnine/data/mpg.csv").drop(columns="cty")


def make_counties() -> pd.DataFrame:
    """Returns counties and their state, without the number that counts within a state."""
    return read_csv("plotnine/data/midwest.csv").drop(columns=["PID", "county"])


def make_seals() -> pd.DataFrame:
    """Returns positions of seals, and how far they swim to the east."""
    return read_csv("plotnine/data/seals.csv").drop(columns="delta_lat")
