"""The real data sets are complete, as published, and each has a README that names its columns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

DATA = Path(__file__).parents[2] / "data"
FILES = ("chicago_taxi/sample.csv", "penguins/penguins.csv", "bike_sharing/bike_sharing.csv")


@pytest.fixture(scope="module")
def penguins() -> pd.DataFrame:
    return pd.read_csv(DATA / "penguins" / "penguins.csv")


@pytest.fixture(scope="module")
def bikes() -> pd.DataFrame:
    return pd.read_csv(DATA / "bike_sharing" / "bike_sharing.csv")


@pytest.mark.parametrize("file", FILES)
def test_readme_describes_every_column(file: str) -> None:
    readme = (DATA / file).with_name("README.md").read_text()
    for column in pd.read_csv(DATA / file, nrows=1).columns:
        assert f"`{column}`" in readme
    assert "**Licence.**" in readme


@pytest.mark.parametrize("file", FILES)
def test_files_are_plain_csv(file: str) -> None:
    content = (DATA / file).read_bytes()
    assert b"\r" not in content
    assert b'"' not in content
    assert b"NA" not in content
    assert content.endswith(b"\n")


def test_the_penguin_table_is_complete(penguins: pd.DataFrame) -> None:
    assert len(penguins) == 344
    species = penguins.species.value_counts().to_dict()
    assert species == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert list(penguins.columns) == [
        "species",
        "island",
        "bill_length_mm",
        "bill_depth_mm",
        "flipper_length_mm",
        "body_mass_g",
        "sex",
        "year",
    ]


def test_missing_penguin_measures_are_empty_cells(penguins: pd.DataFrame) -> None:
    missing = penguins.isna().sum()
    assert missing["sex"] == 11
    assert (missing[["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]] == 2).all()
    assert missing["body_mass_g"] == 2
    assert missing.sum() == 19


def test_bike_hours_are_one_year_in_order(bikes: pd.DataFrame) -> None:
    assert len(bikes) == 8645
    hours = 24 * bikes.day + bikes.hr
    assert hours.is_monotonic_increasing
    assert hours.is_unique
    assert bikes.day.nunique() == 365
    assert bikes.notna().all().all()


def test_the_bike_table_lacks_the_summands_of_its_label(bikes: pd.DataFrame) -> None:
    assert not {"casual", "registered"} & set(bikes.columns)
    assert bikes.bikers.between(1, 651).all()
    assert bikes.bikers.sum() == 1_243_103
