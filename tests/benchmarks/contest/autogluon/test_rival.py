"""AutoGluon gets the rows and its time. Its environment is only there where somebody built it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.contest.autogluon.rival import PYTHON, fit_autogluon
from benchmarks.contest.metrics import loss
from benchmarks.contest.rows import Split


def some_splits(task: str) -> dict[str, Split]:
    """A label that a number and a category determine."""
    generator = np.random.default_rng(0)
    numbers, towns = generator.normal(size=600), generator.integers(3, size=600)
    scores = numbers + towns
    frame = pd.DataFrame(
        {"number": numbers, "town": pd.Categorical.from_codes(towns, ["a", "b", "c"])}
    )
    labels = scores if task == "regression" else np.digitize(scores, [0, 2])
    labels = np.minimum(labels, 1) if task == "binary" else labels
    parts = {"train": slice(0, 400), "eval": slice(400, 500), "test": slice(500, None)}
    return {name: Split(frame[part], labels[part]) for name, part in parts.items()}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(not PYTHON.exists(), reason="scripts/autogluon.sh has not been called")
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_autogluon_learns_each_task(task: str, tmp_path: Path) -> None:
    splits, classes = some_splits(task), 3 if task == "multiclass" else 2
    answers, facts = fit_autogluon(splits, task, classes, 20, 1, tmp_path / "0.autogluon")
    assert answers.shape == ((100, 3) if task == "multiclass" else (100,))
    assert loss(task, splits["test"].labels, answers) < 0.5
    assert facts["trials"] > 1
    assert [path.name for path in tmp_path.iterdir()] == ["0.autogluon.log"]
