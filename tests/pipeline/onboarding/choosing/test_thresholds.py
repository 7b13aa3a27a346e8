"""The threshold that a model must reach to be pushed."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.config import SplitConfig
from pipeline.onboarding.choosing.splits import SplitCounts, _divide, _read_labelled_rows
from pipeline.onboarding.choosing.thresholds import guess_bound, standard_error_of_auc
from pipeline.onboarding.judging.scores import BaselineScore, Score, compute_gate, compute_metric

RANDOM = np.random.default_rng(11)
METRICS = {"binary": "auc", "multiclass": "accuracy", "regression": "r2"}


def bound_of(task, value, trivial, test_counts, folds=0.02, unscored=(), metric=None):
    test = np.array(test_counts)
    counts = np.stack([3 * test, test, test])
    score = Score(task, value, trivial, rows=int(counts.sum()))
    return guess_bound(
        BaselineScore(
            score,
            value + folds * np.array([-1, 0, 0, 0, 1]),
            metric or METRICS[task],
            counts.sum() / 5,
            1.0 if metric == "mae" else None,
        ),
        SplitCounts(SplitConfig(), counts),
        unscored,
    )


def test_threshold_lies_between_guessing_and_the_baseline():
    for task, trivial, counts in (
        ("binary", 0.5, [800, 200]),
        ("multiclass", 0.4, [400, 300, 300]),
        ("regression", 0.0, [1000]),
    ):
        bound = bound_of(task, 0.8, trivial, counts)
        assert (0.8 + trivial) / 2 < bound.threshold.at_least < 0.8
        assert "three quarters of the way between" in bound.why_bound
        assert not bound.warning


def test_on_a_tiny_test_split_the_threshold_is_half_way():
    bound = bound_of("binary", 0.86, 0.5, [50, 14], folds=0)
    assert bound.threshold.at_least == 0.68
    assert "half of the way" in bound.why_bound
    assert bound.threshold.may_worsen_by > 0.03


SMALL = [
    ("binary", "auc", 0.60, 0.5, [66, 66]),
    ("binary", "auc", 0.62, 0.5, [30, 30]),
    ("binary", "auc", 0.75, 0.5, [50, 6]),
    ("multiclass", "accuracy", 0.45, 0.4, [24, 18, 18]),
    ("multiclass", "macro_f1", 0.15, 0.06, [60, 9, 8, 7, 6, 5, 4, 3, 2, 2]),
    ("multiclass", "macro_f1", 0.55, 0.3, [60, 20]),
    ("regression", "r2", 0.03, 0.0, [60]),
    ("regression", "mae", 0.03, 0.0, [60]),
]


def draw_by_chance(metric, counts):
    """Returns the labels of a test split, and predictions that know nothing of them."""
    if metric in ("r2", "mae"):
        values = np.exp(RANDOM.normal(size=(*counts, 1)) * (2 if metric == "mae" else 0.5))
        center = np.median(values) if metric == "mae" else values.mean()
        spread = np.abs(values - center).mean() * RANDOM.choice([0.05, 0.1, 0.2, 0.5])
        return values, center + spread * RANDOM.normal(size=values.shape)
    values = np.repeat(np.eye(len(counts)), counts, axis=0)
    if metric == "auc":
        return values[:, 1:], RANDOM.normal(size=(len(values), 1))
    return values, RANDOM.permutation(values)


@pytest.mark.parametrize(("task", "metric", "value", "trivial", "counts"), SMALL)
def test_answers_by_chance_rarely_pass_on_a_small_test_split(task, metric, value, trivial, counts):
    threshold = bound_of(task, value, trivial, counts, metric=metric).threshold
    bound = 1 - threshold.at_most if metric == "mae" else threshold.at_least
    draws = [compute_gate(metric, *draw_by_chance(metric, counts)) for _ in range(1000)]
    assert np.mean(np.array(draws) >= bound) < 0.05


@pytest.mark.parametrize(("task", "metric", "value", "trivial", "counts"), SMALL)
def test_a_fit_within_the_reach_of_chance_is_said_to_need_more_test_rows(
    task, metric, value, trivial, counts
):
    warning = bound_of(task, value, trivial, counts, folds=0, metric=metric).warning
    assert f"{sum(counts)} test rows cannot tell this model from a broken one" in warning
    assert "`data.split.test`" in warning
    enough = bound_of(task, value, trivial, [1000 * n for n in counts], folds=0, metric=metric)
    assert not enough.warning


def test_small_gain_is_not_rounded_down_to_guessing():
    bound = bound_of("regression", 0.006, 0.0, [400_000], folds=0.0001)
    assert 0.003 <= bound.threshold.at_least < 0.006


def test_empty_test_split_is_not_said_to_have_a_standard_error():
    counts = np.array([[30], [0], [0]])
    found = BaselineScore(Score("regression", 0.5, 0.0, rows=30), np.full(5, 0.5), "r2", 6)
    assert "0 test rows" not in guess_bound(found, SplitCounts(SplitConfig(), counts)).why_bound


def test_long_tailed_label_is_judged_by_the_absolute_error(propose, signal):
    table = signal(2000)
    table["y"] = np.exp(2 * np.array(table["x"]) + 0.3 * RANDOM.normal(size=2000)).round(3)
    proposal = propose(table)
    (threshold,) = proposal.config.evaluation.thresholds
    of_the_median = np.abs(table["y"] - np.median(table["y"])).mean()
    assert (threshold.metric, threshold.at_least) == ("mae", None)
    assert 0.3 * of_the_median < threshold.at_most < 0.75 * of_the_median
    assert not proposal.warnings


def test_without_a_signal_the_threshold_only_stops_a_constant_answer():
    bound = bound_of("regression", -0.02, 0.0, [3000])
    assert bound.threshold.at_least == 0.01
    assert "quarters of the way" not in bound.why_bound
    assert "a model may miss the threshold" in bound.warning


def test_text_and_dates_that_no_score_covers_are_named():
    bound = bound_of("binary", 0.51, 0.5, [50, 50], unscored=["review", "ordered_at"])
    assert bound.warning == (
        "review, ordered_at: text and date columns were not scored, and the other columns hardly "
        "predict the label; so the threshold only stops guessing and answers by chance"
    )
    assert not bound_of("binary", 0.9, 0.5, [50, 50], unscored=["review"]).warning


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_noise_earns_a_warning_and_the_threshold_of_guessing(propose, task):
    labels = {
        "binary": RANDOM.integers(0, 2, 1000),
        "multiclass": RANDOM.integers(0, 4, 1000),
        "regression": RANDOM.normal(size=1000),
    }
    table = {"x": RANDOM.normal(size=1000), "c": RANDOM.integers(0, 5, 1000), "y": labels[task]}
    proposal = propose(table)
    assert any("the columns hardly predict the label" in w for w in proposal.warnings)
    (threshold,) = proposal.config.evaluation.thresholds
    trivial = {"binary": 0.5, "multiclass": 0.25, "regression": 0.0}[task]
    assert trivial < threshold.at_least < trivial + 0.12


def test_standard_error_of_an_auc_is_that_of_repeated_draws():
    def draw():
        label = np.repeat([1, 0], [20, 60])
        scores = label + RANDOM.normal(size=80)
        return compute_metric("binary", label[:, None], scores[:, None])

    draws = [draw() for _ in range(2000)]
    # The formula is that of exponential scores: these have a standard error 9 % smaller.
    assert standard_error_of_auc(float(np.mean(draws)), 20, 60) == pytest.approx(
        np.std(draws), rel=0.2
    )


def make_uneven_classes(rows):
    x = RANDOM.normal(size=rows)
    cuts = np.quantile(x, np.linspace(0.5, 0.99, 14))
    return {"x": x, "y": [f"class {c}" for c in np.searchsorted(cuts, x)]}


def make_tail(rows):
    x = RANDOM.normal(size=rows)
    return {"x": x, "y": np.exp(2 * x + 0.5 * RANDOM.normal(size=rows))}


def make_rare(rows):
    x = RANDOM.normal(size=rows)
    return {"x": x, "y": (x + 0.5 * RANDOM.normal(size=rows) > 2.2).astype(int)}


def make_amounts(rows):
    x = RANDOM.normal(size=rows)
    return {"x": x, "y": 10 + x + 2 * RANDOM.normal(size=rows)}


@pytest.mark.parametrize("make", [make_uneven_classes, make_tail, make_rare, make_amounts])
def test_no_constant_answer_and_no_shuffled_prediction_reaches_the_threshold(propose, make):
    """The best answer without knowledge, and right answers in the wrong rows."""
    table = make(2000)
    proposal = propose(table)
    (threshold,) = proposal.config.evaluation.thresholds
    label = proposal.config.label
    if label.task == "regression":
        values = np.asarray(table["y"])[:, None]
    else:
        positions = [label.classes.index(str(v)) for v in table["y"]]
        values = np.eye(len(label.classes))[positions]
        values = values if label.task == "multiclass" else values[:, 1:]
    constants = [np.tile(f(values, axis=0), (2000, 1)) for f in (np.mean, np.median)]
    shuffled = [RANDOM.permutation(values) for _ in range(5)]
    for predicted in (*constants, *shuffled):
        assert not passes(threshold, values, predicted)
    assert passes(threshold, values, values)


def passes(threshold, values, predicted):
    if threshold.metric == "mae":
        return np.abs(values - predicted).mean() <= threshold.at_most
    return compute_gate(threshold.metric, values, predicted) >= threshold.at_least


def make_hundred_classes(rows):
    """Half of the rows have one class; on a small test split, few of the others occur."""
    x = RANDOM.normal(size=rows)
    y = np.where(RANDOM.random(rows) < 0.5, 0, RANDOM.integers(1, 100, rows))
    return {"x": x, "y": [f"class {c:02}" for c in y]}


def make_hundred_classes_that_a_column_tells(rows):
    y = np.array(make_hundred_classes(rows)["y"])
    noisy = np.where(RANDOM.random(rows) < 0.7, RANDOM.permutation(y), y)
    return {"x": noisy, "z": RANDOM.normal(size=rows), "y": y}


@pytest.mark.parametrize("rows", [1000, 2000, 5000])
@pytest.mark.parametrize("make", [make_hundred_classes, make_hundred_classes_that_a_column_tells])
def test_no_constant_answer_passes_on_a_test_split_that_lacks_classes(propose, make, rows):
    config = propose(make(rows)).config
    (threshold,) = config.evaluation.thresholds
    batches = _read_labelled_rows(config, [Path("trees.csv")])
    tested = _divide(config, config.data.split.seed, batches).counts[2]
    assert (tested == 0).any() or rows == 5000
    one_hot = np.eye(len(tested))
    values = np.repeat(one_hot, tested, axis=0)
    for constant in one_hot:
        assert not passes(threshold, values, np.tile(constant, (len(values), 1)))


def test_a_constant_answer_misses_the_bound_of_a_split_that_was_only_estimated():
    due = np.array([2000, *([1] * 99)])
    counts = np.stack([8 * due, due, due])
    found = BaselineScore(
        Score("multiclass", 0.012, 0.0099, 21_000), np.full(5, 0.012), "macro_f1", 4200.0
    )
    bound = guess_bound(found, SplitCounts(SplitConfig(), counts, is_estimate=True))
    for _ in range(200):
        tested = RANDOM.poisson(due)
        answer = 2 * tested[0] / (tested.sum() + tested[0]) / (tested > 0).sum()
        assert answer < bound.threshold.at_least


def test_many_or_uneven_classes_are_judged_by_macro_f1(propose):
    assert propose(make_uneven_classes(2000)).config.evaluation.thresholds[0].metric == "macro_f1"
