"""Splits, sizes and thresholds: chosen so that a run of the proposal has a fair chance."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pipeline.config import SplitConfig
from pipeline.onboarding.choosing.sizing import guess_size
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.choosing.thresholds import guess_bound, standard_error_of_auc
from pipeline.onboarding.judging.scores import BaselineScore, Score, compute_metric
from trainer_module.input.batching import Replicas, training_batching

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize(("rows", "test"), [(200, 0.2), (3000, 0.15), (10_000, 0.1)])
def test_small_tables_keep_more_rows_to_measure_on(propose, signal, rows, test):
    split = propose(signal(rows)).config.data.split
    assert (split.by, split.eval, split.test) == ("row", test, test)


def test_rare_classes_get_larger_shares(propose, signal):
    table = signal(20_000)
    table["y"] = [int(x > 2.6) for x in table["x"]]
    proposal = propose(table)
    assert proposal.config.data.split.test == 0.2
    assert any("of the rarer class" in w for w in proposal.warnings)


def test_a_seed_is_found_with_which_every_split_has_every_class(propose, signal, tmp_path):
    table = signal(60)
    table["y"] = ["rare" if i % 12 == 0 else "common" for i in range(60)]
    proposal = propose(table)
    assert not any("no row of" in w for w in proposal.warnings)
    assert f"seed: {proposal.config.data.split.seed} " in (tmp_path / "config.yaml").read_text()


def test_many_equal_rows_are_pointed_out(propose):
    table = {"a": RANDOM.integers(0, 3, 600), "b": RANDOM.integers(0, 4, 600)}
    proposal = propose({**table, "y": (table["a"] + RANDOM.integers(0, 3, 600) > 2).astype(int)})
    assert any("rows equal an earlier one" in w for w in proposal.warnings)


def test_classes_too_rare_for_three_splits_are_named(propose, signal):
    table = signal(400)
    table["y"] = ["once" if i == 7 else f"grade {i % 3}" for i in range(400)]
    assert any("no row of 'once'" in w for w in propose(table).warnings)


@pytest.mark.parametrize("name", ["CustomerID", "id"])
def test_customers_are_never_in_two_splits(propose, signal, name):
    table = signal(3000)
    table[name] = RANDOM.integers(10_000, 10_600, 3000)
    config = propose(table).config
    assert (config.data.split.by, config.data.split.column) == ("key", name)
    assert name not in config.features


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("store_id", RANDOM.integers(0, 10, 1000)),
        ("customer_id", RANDOM.integers(0, 10, 1000)),
        ("customer_id", np.arange(1000)),
        ("customer_age", RANDOM.integers(18, 400, 1000)),
    ],
)
def test_what_is_no_key(propose, signal, name, values):
    assert propose({**signal(1000), name: values}).config.data.split.by == "row"


def test_a_split_by_time_is_only_hinted_at(propose, signal, tmp_path):
    table = signal()
    table["day"] = [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(400)]
    assert propose(table).config.data.split.by == "row"
    assert "`by: time` with `column: day`" in (tmp_path / "config.yaml").read_text()


@pytest.mark.parametrize("rows", [6, 100, 2000, 50_000, 10**7])
def test_sizes_grow_with_the_table(rows):
    size, larger = guess_size(rows, "binary"), guess_size(10 * rows, "binary")
    assert 8 <= size.global_batch_size.value <= larger.global_batch_size.value <= 1024
    assert 10 <= min(size.epochs.value, larger.epochs.value) <= 300
    assert size.patience_steps.value == larger.patience_steps.value
    assert sum(size.hidden_units.value) <= sum(larger.hidden_units.value)


@pytest.mark.parametrize("rows", [132, 400, 2793, 100_000])
def test_the_steps_that_are_named_are_those_of_the_trainer(rows):
    size = guess_size(rows, "regression")
    steps = training_batching(rows, size.global_batch_size.value, Replicas()).steps
    assert size.global_batch_size.why == f"{steps:,} steps per epoch"


def test_many_rows_get_one_network_and_amounts_no_dropout():
    """Several times the seconds are little on few rows, and too much on many."""
    assert guess_size(100_000, "binary").to_model_config().family == "ensemble"
    assert guess_size(1_000_000, "binary").to_model_config().family == "wide_deep"
    assert guess_size(1000, "binary").dropout.value > guess_size(1000, "regression").dropout.value


def test_rows_of_one_customer_do_not_vouch_for_each_other(propose):
    customers = RANDOM.integers(0, 300, 6000)
    habit, label = RANDOM.integers(0, 60, 300), RANDOM.integers(0, 2, 300)
    table = {"customer_id": customers, "habit": habit[customers], "y": label[customers]}
    table["noise"] = RANDOM.normal(size=6000)
    proposal = propose(table)
    assert any("the columns hardly predict the label" in w for w in proposal.warnings)


def test_slices_are_columns_with_few_values_and_rows_enough(propose, signal):
    table = signal(2000)
    table["city"] = [f"city {i % 40}" for i in range(2000)]
    table["smoker"] = [("no", "yes")[i % 3 == 0] for i in range(2000)]
    assert propose(table).config.evaluation.slices == (("c",), ("smoker",))


def bound_of(task, value, trivial, test_counts, folds=0.02):
    test = np.array(test_counts)
    counts = np.stack([3 * test, test, test])
    score = Score(task, value, trivial, rows=int(counts.sum()))
    return guess_bound(
        BaselineScore(score, value + folds * np.array([-1, 0, 0, 0, 1])),
        SplitCounts(SplitConfig(), counts),
    )


def test_the_bound_lies_between_knowing_nothing_and_within_reach():
    for task, trivial, counts in (
        ("binary", 0.5, [800, 200]),
        ("multiclass", 0.4, [400, 300, 300]),
        ("regression", 0.0, [1000]),
    ):
        bound = bound_of(task, 0.8, trivial, counts)
        assert trivial < bound.threshold.at_least < (0.8 + trivial) / 2
        assert "a quarter of the way between: raise it after the first run" in bound.why_bound
        assert not bound.warning


def test_a_tiny_test_split_lowers_the_bound():
    bound = bound_of("binary", 0.75, 0.5, [15, 5])
    assert bound.threshold.at_least < 0.5
    assert "a small test split may be hard by chance" in bound.why_bound
    assert bound.threshold.may_worsen_by > 0.1


def test_a_long_tail_is_judged_by_the_absolute_error(propose, signal):
    table = signal(2000)
    table["y"] = np.exp(2 * np.array(table["x"]) + RANDOM.normal(size=2000)).round(3)
    proposal = propose(table)
    (threshold,) = proposal.config.evaluation.thresholds
    expected = np.abs(table["y"] - table["y"].mean()).mean()
    assert (threshold.metric, threshold.at_least) == ("mae", None)
    assert threshold.at_most == pytest.approx(expected, rel=0.01)
    assert not proposal.warnings


def test_no_signal_no_lenience():
    bound = bound_of("regression", -0.02, 0.0, [30])
    assert bound.threshold.at_least == 0
    assert "a quarter of the way" not in bound.why_bound
    assert "a model may miss the threshold" in bound.warning


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_noise_is_called_noise(propose, task):
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
    assert threshold.at_least == pytest.approx(trivial, abs=0.03)


def test_auc_agrees_with_scikit_learn():
    label = RANDOM.integers(0, 2, 500)
    scores = (label + RANDOM.normal(size=500)).round(1)
    expected = roc_auc_score(label, scores)
    assert compute_metric("binary", label[:, None], scores[:, None]) == pytest.approx(expected)


def test_the_standard_error_of_an_auc_is_that_of_repeated_draws():
    def draw():
        label = np.repeat([1, 0], [20, 60])
        scores = label + RANDOM.normal(size=80)
        return compute_metric("binary", label[:, None], scores[:, None])

    draws = [draw() for _ in range(400)]
    assert standard_error_of_auc(float(np.mean(draws)), 20, 60) == pytest.approx(
        np.std(draws), rel=0.2
    )


def test_certainty_needs_rows():
    assert Score("binary", 1.0, 0.5, rows=30).certain_skill < 0.95
    assert Score("binary", 1.0, 0.5, rows=3000).certain_skill > 0.99
    assert Score("binary", 0.4, 0.5, rows=3000).skill == 0
