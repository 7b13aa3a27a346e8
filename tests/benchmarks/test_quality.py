"""`make bench-quality`: metrics, boosted trees, and the comparison of a small table."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

from benchmarks.contest import trees
from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.metrics import compare, measure
from benchmarks.contest.rows import Split

ROOT = Path(__file__).parents[2]


def some_answers(noise: float, seed: int, model: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Returns labels of two classes, and probabilities that predict them worse with more noise."""
    labels = np.random.default_rng(seed).integers(2, size=1000)
    scores = labels + noise * np.random.default_rng([seed, model]).normal(size=1000)
    return labels, np.round(1 / (1 + np.exp(-scores)), 2)


def test_the_metrics_equal_those_of_scikit_learn() -> None:
    labels, answers = some_answers(noise=1.5, seed=0)
    assert measure("binary", labels, answers) == pytest.approx(
        sklearn_metrics.roc_auc_score(labels, answers)
    )
    both = np.stack([1 - answers, answers], axis=1)
    assert measure("multiclass", labels, both) == pytest.approx(
        sklearn_metrics.log_loss(labels, both)
    )
    assert measure("regression", labels, answers) == pytest.approx(
        np.sqrt(sklearn_metrics.mean_squared_error(labels, answers))
    )


@pytest.mark.parametrize(("noise", "verdict"), [(1.0, "ahead"), (2.0, "level"), (4.0, "behind")])
def test_a_model_is_ahead_only_by_a_significant_difference(noise: float, verdict: str) -> None:
    seeds = (1, 2, 3)
    labels, ours = zip(*(some_answers(noise, seed, model=1) for seed in seeds), strict=True)
    theirs = [some_answers(2.0, seed, model=2)[1] for seed in seeds]
    found = compare("binary", labels, ours, theirs)
    assert found.verdict == verdict
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("fit", [trees.fit_lightgbm, trees.fit_hist])
def test_trees_learn_categories_even_with_classes_of_few_rows(fit: trees.Fit) -> None:
    """One column of names determines six classes: two of hundreds of rows, four of a few rows."""
    generator = np.random.default_rng(0)
    labels = np.concatenate([generator.integers(2, size=600), np.tile(np.arange(2, 6), 12)])
    names = np.array([f"town {label}" for label in labels])
    noise = generator.normal(size=len(labels))
    order = generator.permutation(len(labels))
    frame = pd.DataFrame({"noise": noise[order], "town": pd.Categorical(names[order])})
    parts = {"train": slice(0, 400), "eval": slice(400, 500), "test": slice(500, None)}
    splits = {n: Split(frame[part], labels[order][part]) for n, part in parts.items()}
    found = fit(splits, "multiclass", 6, 0)
    shares = np.bincount(splits["train"].labels, minlength=6) / 400
    constant = np.tile(shares, (len(splits["test"].labels), 1))
    loss = measure("multiclass", splits["test"].labels, found.answers)
    assert loss < 0.5 * measure("multiclass", splits["test"].labels, constant)


def test_every_table_names_its_origin_and_licence() -> None:
    assert len(TABLES) >= 8
    assert all(table.origin and table.licence and table.shows for table in TABLES)
    assert len({table.name for table in TABLES}) == len(TABLES)


@pytest.mark.slow
def test_the_comparison_of_a_small_table_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.quality", "--quick", "--directory", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [result] = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert result["metric"] == "log_loss"
    assert all(0 < result["scores"][n] < 0.5 for n in ("ours", "LightGBM", "HistGradientBoosting"))
    better = result["better_than"]["LightGBM"]
    assert better["mean"] == pytest.approx(result["scores"]["LightGBM"] - result["scores"]["ours"])
    proposed = (tmp_path / "penguins/proposed.yaml").read_text(encoding="utf-8")
    assert "Proposed by" in proposed
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert again.stdout == done.stdout
