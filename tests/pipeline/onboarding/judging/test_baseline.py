"""The baseline: target means in folds, and a ridge regression on several columns."""

import numpy as np
import pytest

from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline, bin_numbers, select_best_columns
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.scores import Score

RANDOM = np.random.default_rng(5)
ROWS = 600


def make_label(task, classes=()):
    return Label("y", Guess(task, ""), Guess(classes, ""), (ROWS,), Guess(0.05, ""))


def to_text(values):
    return [str(v) for v in values]


def make_baseline(columns, task="binary", classes=("0", "1"), key=None):
    label = make_label(task, classes if task != "regression" else ())
    return Baseline(label, columns["y"], len(columns), columns[key] if key else None)


def test_category_that_is_the_label_scores_one_and_noise_scores_half(to_columns):
    y = RANDOM.integers(0, 2, ROWS)
    noise = RANDOM.integers(0, 5, ROWS)
    columns = to_columns({"y": to_text(y), "copy": [f"c{v}" for v in y], "noise": to_text(noise)})
    baseline = make_baseline(columns)
    assert baseline.score_column(columns["copy"]).value == 1
    assert baseline.score_column(columns["noise"]).value == pytest.approx(0.5, abs=0.08)


def test_two_columns_together_predict_better_than_one(to_columns):
    a, b = RANDOM.normal(size=(2, ROWS))
    columns = to_columns({"y": to_text(a + b), "a": to_text(a), "b": to_text(b)})
    baseline = make_baseline(columns, "regression")
    together = baseline.score_together([columns["a"], columns["b"]])
    assert together.score.value > baseline.score_column(columns["a"]).value + 0.3
    assert len(together.by_fold) == 5


def test_no_columns_score_like_guessing(to_columns):
    columns = to_columns({"y": ["a", "a", "b", "c"] * 50})
    score = make_baseline(columns, "multiclass", ("a", "b", "c")).score_together([]).score
    assert score.value == pytest.approx(score.trivial) == pytest.approx(0.5)


def test_rows_with_the_same_key_are_in_one_fold(to_columns):
    key = RANDOM.integers(0, 100, ROWS)
    habit, y = RANDOM.permutation(100)[key], RANDOM.integers(0, 2, 100)[key]
    table = {"y": to_text(y), "key": [f"k{v}" for v in key], "habit": [f"h{v}" for v in habit]}
    columns = to_columns(table)
    assert make_baseline(columns).score_column(columns["habit"]).value > 0.95
    by_key = make_baseline(columns, key="key").score_column(columns["habit"])
    assert by_key.value < 0.6


def test_means_of_a_time_know_nothing_of_later_rows(to_columns):
    later = np.arange(ROWS) >= 4 * ROWS // 5
    columns = to_columns({"y": to_text(later.astype(int)), "town": ["a", "b"] * (ROWS // 2)})
    label, times = make_label("binary", ("0", "1")), np.arange(ROWS, dtype=float)
    baseline = Baseline(label, columns["y"], 2, None, times)
    for fold in range(5):
        means = baseline.encode_means(columns["town"], fold)
        assert means[baseline.folds == fold].max() == 0


def test_long_tailed_labels_are_scored_on_a_log_scale(to_columns):
    y = np.exp(3 * RANDOM.normal(size=ROWS))
    baseline = make_baseline(to_columns({"y": to_text(y)}), "regression")
    assert baseline.is_long_tailed
    assert baseline.targets[:, 0] == pytest.approx(np.log1p(baseline.values[:, 0]))
    expected = np.abs(y - np.median(y)).mean()
    assert baseline.score_together([]).constant_error == pytest.approx(expected)


def test_numbers_fall_into_quantile_ranges_and_missing_into_their_own():
    codes = bin_numbers(np.array([*np.arange(1000.0), np.nan]))
    assert codes[-1] == 0
    assert (np.diff(codes[:-1]) >= 0).all()
    assert np.bincount(codes[:-1])[1:].min() >= 1000 // int(2.5 * 10)


def test_best_columns_come_first():
    scores = {n: Score("binary", v, 0.5, ROWS) for n, v in (("a", 0.6), ("b", 0.9), ("c", 0.7))}
    assert select_best_columns(scores) == ["b", "c", "a"]
