"""Gaps between slices: what counts, what chance explains, and how each is told."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from components.predictions.estimates import Gap
from components.predictions.gaps.judging import (
    _find_partner,
    _find_range,
    _Slices,
    measure_gaps,
)
from components.predictions.metrics import metrics
from components.predictions.slices import group_slices
from components.predictions.table import read_predictions, write_part
from components.predictions.terms import Array
from pipeline.config import GapLimit, LabelConfig

BINARY = LabelConfig(column="y", task="binary", classes=("no", "yes"))
MULTI = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
REGRESSION = LabelConfig(column="y", task="regression")


def measure(
    directory: Path,
    label: LabelConfig,
    labels: Array,
    scores: Array,
    cells: dict[str, Any],
    limits: list[GapLimit],
    least: int = 30,
) -> tuple[Gap, ...]:
    slices = {name: pa.array(values) for name, values in cells.items()}
    directory.mkdir(exist_ok=True)
    write_part(str(directory), label, "test", np.arange(len(labels)), labels, scores, None, slices)
    table = read_predictions(str(directory))
    evaluated = {
        name: metrics(table.labels[rows], table.candidate[rows], label.task, label.classes)
        for limit in limits
        for name, rows in group_slices(table.slices, limit.slice_by)
        if len(rows) >= least
    }
    return measure_gaps(str(directory), evaluated, limits, label, least)


def right_and_wrong(*counts: tuple[str, int, int]) -> tuple[Array, Array, dict[str, list[str]]]:
    """Rows of the positive class, by slice: that many right and that many wrong predictions."""
    scores = np.concatenate([np.r_[np.ones(r), np.zeros(w)] for _, r, w in counts])
    cities = [name for name, r, w in counts for _ in range(r + w)]
    return np.ones(len(scores)), scores.astype(np.float32), {"city": cities}


ACCURACY = GapLimit(metric="accuracy", slice_by=("city",), at_most=0.1)


def accuracy_gap(directory: Path, *counts: tuple[str, int, int], **options: Any) -> Gap:
    [gap] = measure(directory, BINARY, *right_and_wrong(*counts), [ACCURACY], **options)
    return gap


def test_a_gap_beyond_the_limit_and_beyond_chance_is_missed(tmp_path: Path) -> None:
    gap = accuracy_gap(tmp_path, ("Oslo", 800, 200), ("Rom", 200, 800), ("Bari", 50, 50))
    assert (gap.passed, gap.allowed) == (False, 0.1)
    assert (gap.best, gap.best_examples, gap.best_value) == ("city=Oslo", 1000, 0.8)
    assert (gap.worst, gap.worst_examples, gap.worst_value) == ("city=Rom", 1000, 0.2)
    error = np.sqrt(2 * 0.8 * 0.2 / 1000)
    q = stats.studentized_range.ppf(0.95, 3, 999) / np.sqrt(2)
    expected = (0.6, 0.6 - q * error, 0.6 + q * error)
    assert dataclasses.astuple(gap.difference)[:3] == pytest.approx(expected, abs=5e-3)


def test_a_gap_that_chance_explains_passes(tmp_path: Path) -> None:
    gap = accuracy_gap(tmp_path, ("Oslo", 38, 2), ("Rom", 32, 8))
    assert gap.difference.value == pytest.approx(0.15)
    assert gap.passed


def test_a_gap_within_the_limit_passes_though_chance_does_not_explain_it(tmp_path: Path) -> None:
    gap = accuracy_gap(tmp_path, ("Oslo", 95_000, 5_000), ("Rom", 87_000, 13_000))
    assert gap.difference.low is not None
    assert 0 < gap.difference.low < 0.1
    assert gap.passed


def test_a_small_slice_without_any_error_is_not_surely_better(tmp_path: Path) -> None:
    gap = accuracy_gap(tmp_path, ("Oslo", 30, 0), ("Rom", 850, 150))
    assert gap.difference.value == pytest.approx(0.15)
    assert gap.passed


def test_slices_below_the_minimum_size_do_not_count(tmp_path: Path) -> None:
    counts = (("Oslo", 0, 29), ("Rom", 1000, 0), ("Bari", 999, 1))
    assert accuracy_gap(tmp_path / "some", *counts).worst == "city=Bari"
    alone = accuracy_gap(tmp_path / "alone", *counts, least=1000 + 1)
    assert alone.passed
    assert (alone.metric, alone.columns, alone.allowed) == ("accuracy", ("city",), 0.1)
    assert (alone.best, alone.worst, alone.difference.value) == ("", "", None)
    assert not alone.is_judged
    assert alone.left_out == (
        "city=Rom has 1,000 of 1,001 needed rows",
        "city=Bari has 1,000 of 1,001 needed rows",
        "city=Oslo has 29 of 1,001 needed rows",
    )


def test_a_metric_without_enough_rows_of_its_class_does_not_count(tmp_path: Path) -> None:
    labels = np.r_[np.ones(500), np.zeros(500), np.ones(2), np.zeros(98)]
    scores = np.r_[np.ones(1000), np.zeros(100)].astype(np.float32)
    limit = GapLimit(metric="recall", slice_by=("city",), at_most=0.1)
    cells = {"city": ["Oslo"] * 1000 + ["Rom"] * 100}
    [gap] = measure(tmp_path, BINARY, labels, scores, cells, [limit])
    assert (gap.passed, gap.best) == (True, "")
    assert gap.left_out == ("recall is undefined on city=Rom",)


def test_a_slice_without_a_value_of_the_evaluator_does_not_count(tmp_path: Path) -> None:
    accuracy_gap(tmp_path, ("Oslo", 40, 10), ("Rom", 30, 20), ("Bari", 20, 30))
    evaluated = {"city=Oslo": {"accuracy": 0.8}, "city=Rom": {"auc": 0.5}}
    [gap] = measure_gaps(str(tmp_path), evaluated, [ACCURACY], BINARY, 30)
    assert not gap.is_judged
    assert sorted(gap.left_out) == [f"accuracy is undefined on city={n}" for n in ("Bari", "Rom")]


def test_equal_slices_without_any_error_pass_though_no_difference_is_allowed(
    tmp_path: Path,
) -> None:
    limit = GapLimit(metric="accuracy", slice_by=("city",), at_most=0.0)
    counts = right_and_wrong(("Oslo", 100, 0), ("Rom", 100, 0))
    [gap] = measure(tmp_path, BINARY, *counts, [limit])
    assert (gap.is_judged, gap.passed) == (True, True)


def test_a_slice_of_exactly_the_minimum_size_counts(tmp_path: Path) -> None:
    for least in (1, 2):
        gap = accuracy_gap(tmp_path / str(least), ("Oslo", 2, 0), ("Rom", 1, 1), least=least)
        assert (gap.is_judged, gap.left_out) == (True, ())


def test_an_evaluation_that_is_repeated_has_the_same_gaps(tmp_path: Path) -> None:
    counts = (("Oslo", 2_700, 300), ("Rom", 2_400, 600))
    assert accuracy_gap(tmp_path / "one", *counts) == accuracy_gap(tmp_path / "two", *counts)


def test_the_smaller_slice_determines_what_chance_explains() -> None:
    slices = _Slices(
        ["small", "large"], np.array([10, 30]), np.array([0.3, 0.8]), np.array([0.03, 0.04])
    )
    # Nine degrees of freedom; with eight or ten of them, q differs by 1.5 %.
    q = stats.studentized_range.ppf(0.95, 2, 9)
    low, other = _find_partner(slices, 1)
    assert other == 0
    assert low == pytest.approx(0.5 - q / np.sqrt(2) * 0.05, abs=0.008 * q * 0.05 / np.sqrt(2))


def test_the_rows_of_a_large_slice_are_sampled_and_its_error_is_that_of_all(
    tmp_path: Path,
) -> None:
    gap = accuracy_gap(tmp_path, ("Oslo", 18_000, 2_000), ("Rom", 16_000, 4_000))
    error = np.hypot(*(np.sqrt(p * (1 - p) / 20_000) for p in (0.9, 0.8)))
    assert gap.difference.low is not None
    assert 0.1 - gap.difference.low == pytest.approx(1.96 * error, rel=0.15)


def test_the_slice_with_the_lower_error_is_the_better_one(tmp_path: Path) -> None:
    errors = np.r_[np.full(100, 1.0), np.full(100, 9.0)].astype(np.float32)
    errors += np.tile([-0.5, 0.5], 100).astype(np.float32)
    cells = {"city": ["Oslo"] * 100 + ["Rom"] * 100}
    limit = GapLimit(metric="mae", slice_by=("city",), at_most=5)
    [gap] = measure(tmp_path, REGRESSION, np.zeros(200), errors, cells, [limit])
    assert (gap.passed, gap.best, gap.worst) == (False, "city=Oslo", "city=Rom")
    assert (gap.best_value, gap.worst_value) == (1, 9)


@pytest.mark.parametrize(
    ("metric", "oslo", "rom"),
    [("mae", 0.1, 0.9), ("calibration", 1.1, 0.2), ("calibration", 1.1, 3.0)],
)
def test_the_better_slice_has_less_error_or_a_calibration_nearer_to_one(
    metric: str, oslo: float, rom: float, tmp_path: Path
) -> None:
    values = np.repeat([oslo, rom], 100)
    labels, scores = (np.ones(200), values) if metric == "calibration" else (values, np.zeros(200))
    cells = {"city": ["Oslo"] * 100 + ["Rom"] * 100}
    limit = GapLimit(metric=metric, slice_by=("city",), at_most=0.1)
    [gap] = measure(tmp_path, REGRESSION, labels, scores.astype(np.float32), cells, [limit])
    assert (gap.passed, gap.best, gap.worst) == (False, "city=Oslo", "city=Rom")


def test_each_class_and_each_combination_of_columns_has_its_gap(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = 4000
    cells = {"city": random.choice(["Oslo", "Rom"], rows), "hour": random.integers(0, 2, rows)}
    labels = random.integers(0, 3, rows)
    weak = (cells["city"] == "Rom") & (cells["hour"] == 1) & (labels == 2)
    predicted = np.where(weak, 0, labels)
    scores = np.eye(3, dtype=np.float32)[predicted]
    limits = [
        GapLimit(metric="recall", slice_by=("hour", "city"), at_most=0.2),
        GapLimit(metric="recall", slice_by=("city",), at_most=0.2, class_name="b"),
        GapLimit(metric="macro_f1", slice_by=("hour",), at_most=0.9),
    ]
    gaps = measure(tmp_path, MULTI, labels, scores, cells, limits)
    found = {(gap.metric, gap.columns): gap.passed for gap in gaps}
    assert found == {
        ("recall[a]", ("city", "hour")): True,
        ("recall[b]", ("city", "hour")): True,
        ("recall[c]", ("city", "hour")): False,
        ("recall[b]", ("city",)): True,
        ("macro_f1", ("hour",)): True,
    }
    assert [gap.worst for gap in gaps if not gap.passed] == ["city=Rom, hour=1"]


@pytest.mark.parametrize(
    "sizes",
    [(60, 60), pytest.param((30, 100, 300) * 4, marks=(pytest.mark.slow, pytest.mark.long))],
)
def test_equal_slices_are_told_apart_in_at_most_one_evaluation_of_twenty(
    sizes: tuple[int, ...], tmp_path: Path
) -> None:
    """The model is equally good everywhere, so that any difference is due to chance."""
    cells = {"city": np.repeat([f"city {i}" for i in range(len(sizes))], sizes)}
    names = ("accuracy", "recall", "auc", "log_loss")
    limits = [GapLimit(metric=name, slice_by=("city",), at_most=0.0) for name in names]
    missed = dict.fromkeys(names, 0)
    samples = 100
    for seed in range(samples):
        random = np.random.default_rng(1000 + seed)
        signal = random.normal(size=sum(sizes))
        scores = 1 / (1 + np.exp(-2 * signal)).astype(np.float32)
        labels = (random.random(len(scores)) < scores).astype(float)
        for gap in measure(tmp_path, BINARY, labels, scores, cells, limits):
            missed[gap.metric] += not gap.passed
    assert all(count <= 10 for count in missed.values()), missed


def test_the_studentized_range_is_interpolated_to_half_a_percent() -> None:
    for slices in (2, 20):
        degrees = np.array([29, 40, 250])
        exact = stats.studentized_range.ppf(0.95, slices, degrees)
        assert _find_range(slices, degrees) == pytest.approx(exact, rel=5e-3)
