"""Rows of the served model keep their splits, and a table that is split anew says so."""

import json
from typing import Any

import pytest

from components.tables.splitting.split_record import SplitRecord, explain_new_split, plan_split
from pipeline.config import CsvConfig, SplitConfig

BY_ROW = SplitConfig()
SERVED = plan_split(BY_ROW, ["b", "a", "y"], "y", None)


def test_a_record_survives_json() -> None:
    assert SplitRecord.from_json(SERVED.to_json()) == SERVED
    assert SplitRecord.from_json("") is None
    old = SplitRecord.from_columns(["b", "a"])
    assert (old.columns, old.hashing) == (("a", "b"), 1)
    assert SplitRecord.from_json(old.to_json()) == old


def test_a_new_column_does_not_enter_the_hash() -> None:
    plan = plan_split(BY_ROW, ["a", "new", "b", "y"], "y", SERVED)
    assert plan.columns == SERVED.columns == ("a", "b")
    assert explain_new_split(SERVED, plan) == ""


@pytest.mark.parametrize(
    ("columns", "settings", "reason"),
    [
        (["a", "y"], {}, "without column 'b'"),
        (["a", "b", "y"], {"seed": 7}, "changed: data.split.seed"),
        (["a", "b", "y"], {"by": "key", "column": "a"}, "changed: data.split.by, data.split.col"),
    ],
)
def test_a_table_that_is_split_anew_says_why(
    columns: list[str], settings: dict[str, Any], reason: str
) -> None:
    plan = plan_split(SplitConfig(**settings), columns, "y", SERVED)
    assert reason in explain_new_split(SERVED, plan)


@pytest.mark.parametrize("split", [BY_ROW, SplitConfig(by="time", column="a")], ids=["row", "time"])
@pytest.mark.parametrize(
    "changes",
    [
        {"missing": ("", "-")}, {"decimal": ","}, {"thousands": "'"}, {"units": ("$",)},
        {"delimiter": ";"}, {"quote": "'"}, {"encoding": "latin-1"},
    ],
    ids=lambda changes: next(iter(changes)),
)  # fmt: skip
def test_cells_that_are_read_in_another_way_are_told(
    split: SplitConfig, changes: dict[str, Any]
) -> None:
    names = ["a", "b", "y"]
    served = plan_split(split, names, "y", None, CsvConfig())
    assert SplitRecord.from_json(served.to_json()) == served
    [key] = changes
    plan = plan_split(split, names, "y", served, CsvConfig(**changes))
    told = explain_new_split(served, plan)
    assert told.startswith(f"rows may be split anew, changed: data.csv.{key}: ")


def test_the_order_of_missing_cells_and_another_format_of_the_table_are_not_told() -> None:
    names = ["a", "b", "y"]
    served = plan_split(BY_ROW, names, "y", None, CsvConfig(missing=("NA", "-")))
    for csv in (CsvConfig(missing=("-", "NA")), None):
        assert explain_new_split(served, plan_split(BY_ROW, names, "y", served, csv)) == ""


def test_a_record_from_before_the_reading_of_cells_was_recorded_is_read_and_not_told() -> None:
    content = json.loads(SERVED.to_json())
    del content["cells"]
    old = SplitRecord.from_json(json.dumps(content))
    plan = plan_split(BY_ROW, ["a", "b", "y"], "y", old, CsvConfig(decimal=","))
    assert explain_new_split(old, plan) == ""


@pytest.mark.parametrize(
    ("hashing", "cells"),
    [(1, "numbers in text"), (2, "numbers above 16,777,216"), (3, "booleans, times"), (9, "cells")],
)
def test_a_model_of_another_version_of_the_hash_gives_the_columns_and_a_warning(
    hashing: int, cells: str
) -> None:
    old = SplitRecord(SERVED.settings, SERVED.columns, hashing)
    plan = plan_split(BY_ROW, ["a", "b", "c", "y"], "y", old)
    assert plan.columns == ("a", "b")
    told = explain_new_split(old, plan)
    assert told.startswith("rows may be split anew, ")
    assert f"the served model's version hashed {cells}" in told


def test_a_model_without_a_record_gives_the_columns_and_a_warning() -> None:
    old = SplitRecord.from_columns(["b", "a"])
    plan = plan_split(BY_ROW, ["a", "b", "c", "y"], "y", old)
    assert plan.columns == ("a", "b")
    assert "numbers in text" in explain_new_split(old, plan)


BY_TIME = SplitConfig(by="time", column="t", train=0.8, eval=0.1, test=0.1)
BY_TIME_SERVED = plan_split(BY_TIME, ["t", "y"], "y", None)


def explain_by_time(**changes: Any) -> str:
    split = SplitConfig.model_validate({**BY_TIME.model_dump(), **changes})
    return explain_new_split(
        BY_TIME_SERVED, plan_split(split, ["t", "u", "y"], "y", BY_TIME_SERVED)
    )


def test_later_rows_of_a_split_by_time_are_not_split_anew() -> None:
    assert explain_by_time() == ""
    assert explain_new_split(None, BY_TIME_SERVED) == ""
    assert plan_split(BY_TIME, ["t", "y"], "y", None).columns == ()


@pytest.mark.parametrize(
    "changes",
    [{"train": 0.85, "test": 0.05}, {"eval": 0.15, "test": 0.05}, {"seed": 3}],
    ids=["longer train", "longer eval", "seed"],
)
def test_a_split_by_time_that_takes_no_row_from_train_is_not_told(changes: dict[str, Any]) -> None:
    assert explain_by_time(**changes) == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"train": 0.6, "test": 0.3}, "are split anew, changed: data.split.train:"),
        ({"train": 0.7, "eval": 0.2}, "are split anew, changed: data.split.train:"),
        ({"column": "u"}, "are split anew, changed: data.split.column:"),
        ({"by": "key"}, "are split anew, changed: data.split.by:"),
        ({"time_format": "day_first"}, "may be split anew, changed: data.split.time_format:"),
        ({"time_zone": "Asia/Tokyo"}, "may be split anew, changed: data.split.time_zone:"),
    ],
)
def test_a_split_by_time_that_may_take_rows_from_train_is_told(
    changes: dict[str, Any], told: str
) -> None:
    assert told in explain_by_time(**changes)


def test_records_from_before_time_formats_were_recorded_are_not_told_for_them() -> None:
    settings = {k: v for k, v in BY_TIME_SERVED.settings.items() if not k.startswith("time_")}
    old = SplitRecord(settings, (), hashing=2)
    assert explain_new_split(old, BY_TIME_SERVED) == ""
    assert "no record" in explain_new_split(SplitRecord.from_columns(["t"]), BY_TIME_SERVED)
