"""Tables of surveys and time series in statsmodels."""

from __future__ import annotations

import pandas as pd

from benchmarks.contest.sources.files import DATASETS, read_csv, yes_or_no

_MODES = {1: "air", 2: "train", 3: "bus", 4: "car"}
_EXPENSES = (
    "outpdol drugdol suppdol mentdol inpdol meddol lnmeddol totadm inpmis mentvis mdvis notmdvis"
).split()
"""The columns of the table `spenders` that reveal its label."""


def make_visits() -> pd.DataFrame:
    """Returns insured persons and their visits to a doctor in a year."""
    return read_csv(f"{DATASETS}/randhie/randhie.csv")


def make_spenders() -> pd.DataFrame:
    """Returns insured persons with all columns, and whether they had any medical expense."""
    table = read_csv(f"{DATASETS}/randhie/src/randhie.csv")
    known = table.drop(columns=[*_EXPENSES, "zper", "binexp"])
    return known.assign(spends=yes_or_no(table["binexp"] == 1))


def make_affairs() -> pd.DataFrame:
    """Returns wives, and whether they had an affair."""
    table = read_csv(f"{DATASETS}/fair/fair.csv")
    return table.assign(affairs=yes_or_no(table["affairs"] > 0))


def make_votes() -> pd.DataFrame:
    """Returns voters and their vote."""
    return read_csv(f"{DATASETS}/anes96/anes96.csv", sep="\t", quotechar="'")


def make_trips() -> pd.DataFrame:
    """Returns a way to travel for each row, and whether the traveller chose it."""
    table = read_csv(f"{DATASETS}/modechoice/modechoice.csv", sep=";").drop(columns="individual")
    return table.assign(mode=table["mode"].map(_MODES), choice=yes_or_no(table["choice"] == 1))


def make_co2() -> pd.DataFrame:
    """Returns weeks and the share of CO2 in the air."""
    table = read_csv(f"{DATASETS}/co2/co2.csv").dropna()
    dates = pd.to_datetime(table["date"].astype(str), format="%Y%m%d")
    return table.assign(date=dates.dt.strftime("%Y-%m-%d"))
