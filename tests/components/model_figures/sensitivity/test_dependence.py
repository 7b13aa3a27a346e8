"""Partial dependence of a model whose answers are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_served import CODE, KIND, SIZE, load, make_cells

from components.model_figures.sensitivity.dependence import (
    choose_dependence_rows,
    choose_outputs,
    measure_dependence,
    measure_time_dependence,
)

YES = 0.45


def test_the_prediction_follows_the_number(tmp_path: Path) -> None:
    function = load(tmp_path, "regression")
    values = function.to_values(make_cells(1000))
    found = measure_dependence(function, values, SIZE, "numeric", "", {"prediction": None})
    positions = np.array(found.positions)
    assert found.means["prediction"] == pytest.approx(positions + 2 * YES, abs=0.1)
    assert found.lows["prediction"] == pytest.approx(positions, abs=1e-5)
    assert found.highs["prediction"] == pytest.approx(positions + 2, abs=1e-5)


def test_a_category_moves_all_rows_alike(tmp_path: Path) -> None:
    function = load(tmp_path, "binary")
    values = function.to_values(make_cells(1000))
    found = measure_dependence(function, values, KIND, "categorical", "", {"yes": None})
    assert found.positions is None
    means = dict(zip(found.values, found.means["yes"]))
    sizes = values[SIZE].astype(float)
    assert means["yes"] == pytest.approx((1 / (1 + np.exp(-sizes - 2))).mean(), abs=1e-5)
    assert means["no"] == pytest.approx((1 / (1 + np.exp(-sizes))).mean(), abs=1e-5)


def test_each_shown_class_has_its_own_line(tmp_path: Path) -> None:
    function = load(tmp_path, "multiclass")
    values = function.to_values(make_cells(200))
    outputs = choose_outputs("multiclass", ("a", "b", "c"), np.array([2, 2, 1]), most=2)
    assert outputs == {"c": 2, "b": 1}
    found = measure_dependence(function, values, SIZE, "numeric", "", outputs)
    assert list(found.means["b"]) == sorted(found.means["b"])
    assert list(found.means["c"]) == sorted(found.means["c"], reverse=True)


def test_a_time_has_a_line_for_each_part_with_several_values(tmp_path: Path) -> None:
    function = load(tmp_path, "binary")
    values = function.to_values(make_cells(100))
    # Two days, 24 hours each, of one month.
    values[CODE] = 1_775_433_906 + 3600 * (np.arange(100) % 48)
    parts = ("hour", "weekday", "month")
    found = measure_time_dependence(function, values, CODE, "epoch_seconds", parts, {"yes": None})
    assert [d.part for d in found] == ["hour", "weekday"]
    assert found[1].values == ("Monday", "Tuesday")
    assert all(len(d.means["yes"]) == len(d.values) for d in found)


def test_a_column_without_values_has_no_points(tmp_path: Path) -> None:
    function = load(tmp_path, "binary")
    values = function.to_values(make_cells(10))
    values[SIZE] = np.full(10, np.nan, np.float32)
    found = measure_dependence(function, values, SIZE, "numeric", "", {"yes": None})
    assert found.values == found.means["yes"] == ()


def test_outputs_of_other_tasks() -> None:
    assert choose_outputs("binary", ("no", "yes"), np.array([0])) == {"yes": None}
    assert choose_outputs("regression", (), np.array([0.0])) == {"prediction": None}


def test_wide_rows_get_fewer() -> None:
    assert choose_dependence_rows(14, 100_000) == 1000
    assert choose_dependence_rows(500, 100_000) == 50
    assert choose_dependence_rows(14, 3) == 3
