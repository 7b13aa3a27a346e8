"""CatBoost gets the rows as it needs them. Its package is only there after `make bench-quality`."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals.problem import Problem
from benchmarks.contest.rows import Split
from benchmarks.contest.search import trials


def some_splits(task: str) -> dict[str, Split]:
    """A label that a number and a category with gaps determine."""
    generator = np.random.default_rng(0)
    numbers, towns = generator.normal(size=600), generator.integers(3, size=600)
    scores = numbers + towns
    names = pd.Categorical.from_codes(towns - 1, ["b", "c"])
    frame = pd.DataFrame({"number": np.where(numbers > 1, np.nan, numbers), "town": names})
    labels = scores if task == "regression" else np.digitize(scores, [0, 2])
    labels = np.minimum(labels, 1) if task == "binary" else labels
    parts = {"train": slice(0, 400), "eval": slice(400, 500), "test": slice(500, None)}
    return {name: Split(frame[part], labels[part]) for name, part in parts.items()}


def test_missing_categories_become_a_category_and_missing_numbers_stay() -> None:
    found = trials._name_missing(some_splits("binary")["train"].features)
    assert set(found["town"]) == {"missing", "b", "c"}
    assert found["number"].isna().any()


@pytest.mark.skipif(not (trials.PACKAGES / "catboost").exists(), reason="CatBoost is not unpacked")
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_catboost_learns_each_task(task: str) -> None:
    splits = some_splits(task)
    problem = Problem(splits, task, 3 if task == "multiclass" else 2, 0, 1)
    found = trials.fit_catboost(problem.end_in(20), {"depth": 4, "learning_rate": 0.2})
    assert loss(task, splits["test"].labels, found.answers) < 0.35
    assert found.eval_loss < 0.35
    assert not found.is_cut
    assert trials.fit_catboost(problem.end_in(0), {"depth": 4}).is_cut
