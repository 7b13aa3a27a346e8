"""The section `data`."""

import pytest
from pydantic import ValidationError

from pipeline.config import CsvConfig, DataConfig, SplitConfig


@pytest.mark.parametrize("unit", ["", " ", "1", "k1", "a-b", "1.5"])
def test_a_unit_that_could_be_part_of_a_number_is_refused(unit: str) -> None:
    with pytest.raises(ValidationError, match="is not a unit"):
        CsvConfig(units=(unit,))


def test_a_unit_may_have_a_raised_digit() -> None:
    assert CsvConfig(units=("€/m²",)).units == ("€/m²",)


def test_decimal_mark_and_thousands_separator_must_differ() -> None:
    with pytest.raises(ValidationError, match="the same character"):
        CsvConfig(decimal=",", thousands=",")


def test_a_split_by_row_has_no_column_and_a_split_by_time_needs_one() -> None:
    assert SplitConfig(by="time", column="day").column == "day"
    with pytest.raises(ValidationError, match="a split by time needs a column"):
        SplitConfig(by="time")
    with pytest.raises(ValidationError, match="a split by row needs no column"):
        SplitConfig(column="day")


def test_one_path_is_a_list_of_one() -> None:
    assert DataConfig(path="a.csv").path == ("a.csv",)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"source": "csv"}, "source csv needs path"),
        ({"source": "bigquery", "path": "a.csv"}, "needs query, and no path"),
        ({"source": "tfrecord", "path": ["a", "b"]}, "takes one path"),
        (
            {"source": "tfrecord", "path": "a", "split": {"by": "time", "column": "day"}},
            "cannot be split by time",
        ),
    ],
)
def test_a_source_without_its_address_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        DataConfig.model_validate(settings)
