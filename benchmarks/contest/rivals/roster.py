"""The rivals of a match: boosted trees with fixed or searched settings, TF-IDF and AutoGluon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.contest.autogluon.rival import PYTHON as AUTOGLUON_PYTHON
from benchmarks.contest.autogluon.rival import fit_autogluon
from benchmarks.contest.metrics import Answers
from benchmarks.contest.ours import Setup
from benchmarks.contest.rivals import fixed
from benchmarks.contest.rivals.problem import Problem
from benchmarks.contest.rivals.text import fit_text
from benchmarks.contest.rows import Split, has_texts
from benchmarks.contest.search.trials import PACKAGES
from benchmarks.spec import run_part

LIGHTGBM = "LightGBM"
TEXT = "TF-IDF, linear"
FIXED = {
    LIGHTGBM: fixed.fit_lightgbm,
    "HistGradientBoosting": fixed.fit_hist,
    TEXT: fit_text,
}
SEARCHED = {"LightGBM searched": "lightgbm", "CatBoost searched": "catboost"}
AUTOGLUON = "AutoGluon"
RIVALS = (*FIXED, *SEARCHED, AUTOGLUON)


@dataclass(frozen=True)
class Budget:
    """What each search, and AutoGluon, may use."""

    seconds: float
    threads: int


@dataclass(frozen=True)
class Fitted:
    """A rival of a match."""

    answers: Answers
    """The predictions for the test rows."""
    facts: dict[str, Any]
    """Its `seconds`; after a search also the trials and the best settings."""


def fit_rivals(
    setup: Setup, splits: Mapping[str, Split], seed: int, budget: Budget
) -> dict[str, Fitted]:
    """Returns the fitted rivals by name.

    Without the packages of a rival, as in a match of `--quick`, this rival is left out.
    """
    config = setup.load()
    fitted = {}
    task, classes = config.label.task, len(config.label.classes)
    for name, fit in FIXED.items():
        if name == TEXT and not has_texts(config):
            continue
        found = fit(Problem(splits, task, classes, seed, 1), budget.seconds)
        fitted[name] = Fitted(found.answers, {"seconds": found.seconds, "is_cut": found.is_cut})
    for name, library in SEARCHED.items():
        if library == "lightgbm" or (PACKAGES / library).exists():
            fitted[name] = _search(setup, library, seed, budget)
    if AUTOGLUON_PYTHON.exists():
        place = setup.run.with_suffix(".autogluon")
        answers, facts = fit_autogluon(splits, task, classes, budget.seconds, budget.threads, place)
        fitted[AUTOGLUON] = Fitted(answers, facts)
    return fitted


def _search(setup: Setup, library: str, seed: int, budget: Budget) -> Fitted:
    path = setup.run.with_suffix(f".{library}.json")
    spec = {
        "run": str(setup.run),
        "config": str(setup.config),
        "assignments": setup.assignments,
        "rival": library,
        **asdict(budget),
        "seed": seed,
        "answers": str(path.with_suffix(".npy")),
    }
    facts = run_part("contest.search", spec, path)
    return Fitted(np.load(spec["answers"]), facts)
