"""TF-IDF with a linear model learns from texts and from all other columns."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals import text
from benchmarks.contest.rivals.problem import Problem
from benchmarks.contest.rows import Split


def some_problem(task: str) -> Problem:
    """A label that a word, a town and a number determine; some towns and numbers are missing."""
    generator = np.random.default_rng(0)
    word, town = generator.integers(2, size=900), generator.integers(3, size=900)
    number = generator.normal(size=900)
    raw = pd.DataFrame(
        {
            "number": np.where(generator.uniform(size=900) < 0.1, np.nan, number),
            "town": pd.Categorical.from_codes(town - 1, ["a", "b"]),
            "title": [f"a {('dull', 'fine')[each]} thing {i % 7}" for i, each in enumerate(word)],
        }
    )
    score = 3 * word + town + number
    labels = {
        "regression": score,
        "binary": (score > 2.5).astype(int),
        "multiclass": np.digitize(score, [1, 4]),
    }[task]
    parts = {"train": slice(0, 600), "eval": slice(600, 700), "test": slice(700, None)}
    splits = {n: Split(raw[["number"]][p], labels[p], raw[p]) for n, p in parts.items()}
    return Problem(splits, task, 3 if task == "multiclass" else 2, 0, 1)


@pytest.mark.parametrize(
    ("task", "most"), [("binary", 0.3), ("multiclass", 0.5), ("regression", 0.5)]
)
def test_a_linear_model_learns_texts_categories_and_numbers(task: str, most: float) -> None:
    problem = some_problem(task)
    found = text.fit_text(problem, 60)
    assert loss(task, problem.splits["test"].labels, found.answers) < most
    assert not found.is_cut


def test_without_time_one_strength_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LEAST_SECONDS", 0.0)
    found = text.fit_text(some_problem("binary"), 0)
    assert found.is_cut
    assert found.answers.shape == (200,)
