"""On many rows, trees and network together take at most a tenth longer than the network alone."""

from __future__ import annotations

import pytest

from pipeline.onboarding.choosing.budget import Load, estimate_budget
from pipeline.onboarding.choosing.many_rows import limit_trees
from pipeline.onboarding.choosing.sizing import MANY_ROWS, guess_size

PLAIN = Load(20, 20)
WITH_TEXT = Load(20, 140, tokens=64, weights=160_000)
TASKS = {1: "binary", 3: "multiclass", 10: "multiclass", 1000: "multiclass"}


@pytest.mark.parametrize("rows", [MANY_ROWS + 1, 400_000, 800_000, 4_000_000, 50_000_000])
@pytest.mark.parametrize("load", [Load(3, 3), PLAIN, Load(200, 220), WITH_TEXT])
@pytest.mark.parametrize("outputs", TASKS)
def test_a_large_table_takes_at_most_a_tenth_longer_than_the_network_alone(rows, load, outputs):
    size = guess_size(rows, TASKS[outputs])
    alone = estimate_budget(size, rows, load, outputs).network
    budget = estimate_budget(limit_trees(size, rows, load, outputs), rows, load, outputs)
    # Early stopping ends the network, not the trees.
    ended = 0.4
    assert ended * budget.network + budget.trees <= 1.1 * ended * alone
    assert budget.network > 0.66 * alone


@pytest.mark.parametrize("rows", [100, 10_000, MANY_ROWS])
def test_smaller_tables_keep_all_trees(rows):
    size = guess_size(rows, "multiclass")
    assert limit_trees(size, rows, WITH_TEXT, 10) == size
    assert size.to_model_config().family == "blend"


def test_the_fewer_the_trees_the_more_each_corrects():
    found = [
        limit_trees(guess_size(rows, "regression"), rows, Load(10, 10), 1).to_model_config()
        for rows in (MANY_ROWS + 1, 300_000, 8_000_000)
    ]
    assert [model.family for model in found] == ["blend"] * 3
    iterations, rates = zip(*((m.trees.iterations, m.trees.learning_rate) for m in found))
    assert sorted(iterations, reverse=True) == list(iterations)
    assert 0.05 < rates[0] < rates[1] <= rates[2] == 0.3


def test_many_classes_take_epochs_of_the_network_for_their_trees():
    size = guess_size(1_000_000, "multiclass")
    limited = limit_trees(size, 1_000_000, PLAIN, 3)
    assert limited.epochs.value < size.epochs.value
    assert "time is left for trees" in limited.epochs.why
    assert limited.tree_iterations.value > 30
    assert limit_trees(size, 1_000_000, Load(20, 1), 3).epochs == size.epochs


def test_too_little_time_for_useful_trees_leaves_the_network_alone():
    """A hundred classes have a hundred trees in each iteration."""
    size = guess_size(4_000_000, "multiclass")
    alone = limit_trees(size, 4_000_000, PLAIN, 100)
    assert alone.to_model_config().family == "wide_deep"
    assert not alone.trees
    assert alone.epochs == size.epochs
    assert estimate_budget(alone, 4_000_000, PLAIN, 100).trees == 0
