"""The figures of whole tables, hostile ones among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from deliveries import FARE, PAY, ZIP, table
from tables import column, make_figures, make_inputs

from components.data_figures import columns
from components.data_figures.figures import DataFigures, Histogram
from components.data_figures.make import make_data_figures
from components.run_figures.figures_file import read_figures, write_figures
from pipeline.core.events import Finding

NAMES = ['a"b', "line\nbreak", "🚕 <script>", "ü.b"]


def finding(name: str, severity: str) -> Finding:
    return Finding(
        column=name,
        kind="drift",
        severity=severity,
        splits=("train",),
        problem=f"'{name}' has drifted",
        expected="",
        found="",
        examples=(),
        accept="",
        against="",
    )


def _beyond(histogram: Histogram, sample: str) -> float:
    return (histogram.below[sample] + histogram.above[sample]) / histogram.values[sample]


def test_every_column_has_its_distribution_in_all_samples() -> None:
    figures = make_figures(table(seed=1), table())
    assert figures.notes == ()
    assert figures.rows == {"train": 800, "eval": 100, "test": 100}
    assert figures.compared_with == "7"
    assert {c.name for c in figures.columns} == {FARE, PAY, ZIP, "when", "tip", "y"}
    for found in figures.columns:
        shares = found.histogram or found.values
        assert list(shares.shares) == ["train", "eval", "test", "served"]
        for sample, values in shares.shares.items():
            rest = found.values.other[sample] if found.values else _beyond(found.histogram, sample)
            assert sum(values) + rest == pytest.approx(1, abs=0.001)
    roles = {c.name: c.role for c in figures.columns}
    assert (roles["y"], roles[FARE], roles["tip"]) == ("label", "feature", "other")


def test_figures_are_read_back_from_json(tmp_path: Any) -> None:
    figures = make_figures(table(seed=1), table())
    write_figures(tmp_path / "f.json", figures)
    assert read_figures(tmp_path / "f.json", DataFigures) == figures


def test_columns_with_findings_come_first_and_stops_before_warnings() -> None:
    found = (finding(PAY, "warn"), finding(ZIP, "stop"))
    figures = make_figures(table(), None, found)
    assert [c.name for c in figures.columns[:2]] == [ZIP, PAY]
    assert figures.columns[0].attention >= 2
    assert 1 <= figures.columns[1].attention < 2
    assert figures.columns[0].reasons[0] == f"The gate: '{ZIP}' has drifted."
    assert all(c.attention < 1 for c in figures.columns[2:])


def test_a_column_that_is_gone_shows_the_served_data() -> None:
    figures = make_figures(table(seed=1).drop(columns=[PAY]), table(), [finding(PAY, "stop")])
    gone = figures.columns[0]
    assert gone.name == PAY
    assert gone.missing == {"train": 1, "eval": 1, "test": 1, "served": 0}
    assert list(gone.values.shares) == ["served"]


def test_hostile_names_and_cells_make_figures_without_notes() -> None:
    random = np.random.default_rng(0)
    data = table()
    data[NAMES[0]] = ["x" * 10_000 + str(i % 30) for i in range(len(data))]
    data[NAMES[1]] = random.choice(["<script>", "\x1b[2J", "‮", "a,\n"], len(data))
    data[NAMES[2]] = np.where(np.arange(len(data)) == 5, 1e30, random.normal(size=len(data)))
    data[NAMES[3]] = np.nan
    data["constant"] = 7.0
    data["one text"] = "same"
    data["infinite"] = np.where(random.random(len(data)) < 0.01, np.inf, random.normal(size=1000))
    kinds = dict.fromkeys([*NAMES[:2], "one text"], "categorical")
    kinds |= dict.fromkeys([*NAMES[2:], "constant", "infinite"], "numeric")
    figures = make_figures(data, data, features=kinds)
    assert figures.notes == ()
    by_name = {c.name: c for c in figures.columns}
    assert max(map(len, by_name[NAMES[0]].values.values)) < 200
    assert max(by_name[NAMES[2]].histogram.shares["train"]) < 0.3, "an outlier hides nothing"
    assert by_name[NAMES[3]].missing["train"] == 1
    assert by_name[NAMES[3]].reasons[0] == "The column has no value."
    for name in ("constant", "one text"):
        assert "The column has the same value in every row." in by_name[name].reasons
        assert by_name[name].with_label is None
    assert by_name["constant"].histogram.shares["train"] == (1.0,)
    assert all(math.isfinite(edge) for edge in by_name["infinite"].histogram.edges)


def test_a_column_made_from_the_label_gets_attention() -> None:
    data = table()
    data["leak"] = (data["y"] == "yes").astype(float)
    figures = make_figures(data, features={FARE: "numeric", "leak": "numeric"})
    assert figures.columns[0].name == "leak"
    assert figures.columns[0].with_label == pytest.approx(1)
    assert "may be made from the label" in figures.columns[0].reasons[0]
    assert figures.associations.columns[:2] == ("y", "leak")


def test_a_regression_is_associated_by_ranks() -> None:
    data = table()
    data["y"] = np.exp(data[FARE].clip(upper=50)) * 1e20
    label = {"column": "y", "task": "regression"}
    thresholds = [{"metric": "rmse", "at_most": 1}]
    figures = make_figures(data, label=label, evaluation={"thresholds": thresholds})
    assert column(figures, FARE).with_label == pytest.approx(1, abs=0.01)
    assert column(figures, "y").kind == "regression"


def test_one_column_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    real = columns.summarize_number

    def broken(statistics: Any, rows: Any) -> Any:
        if statistics.path.step[0] == FARE:
            raise ValueError("broken statistics")
        return real(statistics, rows)

    monkeypatch.setattr(columns, "summarize_number", broken)
    figures = make_figures(table())
    assert figures.notes == (
        f"the figures of '{FARE}' could not be made: ValueError: broken statistics",
    )
    assert {PAY, ZIP, "y"} <= {c.name for c in figures.columns}


def test_unreadable_examples_leave_all_other_figures() -> None:
    def read_rows(split: str, columns: Sequence[str], rows: Any) -> pa.Table:
        raise OSError("the disk is gone")

    figures = make_data_figures(make_inputs(table()), read_rows)
    assert len(figures.columns) == 6
    assert figures.associations is None
    assert figures.notes == (
        "distinct numbers and associations could not be made: OSError: the disk is gone",
        "the counts of the rows could not be made: OSError: the disk is gone",
    )
    assert set(column(figures, FARE).histogram.estimated) == {"train", "eval", "test"}


def test_bars_and_quantiles_are_those_of_the_rows() -> None:
    random = np.random.default_rng(0)
    rating = np.round(random.triangular(1, 4.2, 5, 2000), 1)
    data = table(2000).assign(rating=rating, **{FARE: lambda t: t[FARE].where(t.index % 7 != 0)})
    figures = make_figures(data, data, features={FARE: "numeric", "rating": "numeric"})
    parts = {"train": data[:1600], "eval": data[1600:1800], "test": data[1800:]}
    for name in (FARE, "rating"):
        found = column(figures, name)
        histogram = found.histogram
        assert histogram.estimated == ("served",)
        for split, part in parts.items():
            values = part[name].dropna().astype("float32").astype(float)
            bars = pd.cut(values, list(histogram.edges), right=False).value_counts(sort=False)
            assert histogram.values[split] == len(values)
            counted = [share * len(values) for share in histogram.shares[split]]
            assert counted == pytest.approx(bars.to_list())
            assert histogram.below[split] == (values < histogram.edges[0]).sum()
            assert histogram.above[split] == (values > histogram.edges[-1]).sum()
            numbers = found.numbers[split]
            quantiles = (numbers.lower_quartile, numbers.median, numbers.upper_quartile)
            assert quantiles == pytest.approx(values.quantile([0.25, 0.5, 0.75]).to_list())
    edges = column(figures, "rating").histogram.edges
    assert all(abs(rating - edge).min() > 0.04 for edge in edges), "an edge is on a value"
    widths = np.diff(edges) / 0.1
    assert widths == pytest.approx(np.full(len(widths), round(widths[0])))
    assert column(figures, FARE).histogram.above["train"] > 0


def test_a_table_with_a_single_row_a_split_has_figures() -> None:
    figures = make_figures(table(3).iloc[:3], table())
    assert figures.notes == ()
    assert sum(figures.rows.values()) == 3
