"""`python -m benchmarks.contest.rivals SPEC`: fits one rival."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.autogluon.rival import fit_autogluon
from benchmarks.contest.metrics import Answers
from benchmarks.contest.rivals import fixed, roster, text
from benchmarks.contest.rivals.problem import Contestant, Problem
from benchmarks.contest.rows import read_splits
from benchmarks.contest.search import spaces, trials
from benchmarks.contest.search.loop import Trial, search
from benchmarks.spec import write_answer
from pipeline.config import load_config

Found = tuple[Answers, dict[str, Any]]
"""The predictions for the test rows, and the facts of the fit."""


def fit_rival(spec: dict[str, Any]) -> dict[str, Any]:
    """Writes the predictions for the test rows to the file `answers`; returns the facts."""
    config = load_config([Path(spec["config"])], spec["assignments"])
    splits, label = read_splits(Path(spec["run"]), config), config.label
    problem = Problem(splits, label.task, len(label.classes), spec["seed"], spec["threads"])
    answers, facts = FITS[spec["rival"]](problem, spec["seconds"], Path(spec["answers"]))
    np.save(spec["answers"], answers)
    return facts


def _fit_once(fit: Callable[[Problem, float], Contestant]) -> Callable[..., Found]:
    def run(problem: Problem, seconds: float, _: Path) -> Found:
        found = fit(problem, seconds)
        return found.answers, {"seconds": found.seconds, "is_cut": found.is_cut}

    return run


def _search(fit: Trial, space: spaces.Space) -> Callable[..., Found]:
    def run(problem: Problem, seconds: float, _: Path) -> Found:
        found = search(fit, space, problem.end_in(seconds))
        facts = {
            "seconds": found.seconds,
            "trials": found.trials,
            "settings": found.settings,
            "is_cut": found.best.is_cut,
        }
        return found.best.answers, facts

    return run


def _fit_autogluon(problem: Problem, seconds: float, answers: Path) -> Found:
    place = answers.with_suffix(".autogluon")
    return fit_autogluon(
        problem.splits, problem.task, problem.classes, seconds, problem.threads, place
    )


FITS: dict[str, Callable[[Problem, float, Path], Found]] = {
    roster.LIGHTGBM: _fit_once(fixed.fit_lightgbm),
    roster.HIST: _fit_once(fixed.fit_hist),
    roster.TEXT: _fit_once(text.fit_text),
    roster.LIGHTGBM_SEARCHED: _search(fixed.fit_one_lightgbm, spaces.LIGHTGBM),
    roster.CATBOOST_SEARCHED: _search(trials.fit_catboost, spaces.CATBOOST),
    roster.AUTOGLUON: _fit_autogluon,
}

if __name__ == "__main__":
    write_answer(sys.argv[1], fit_rival)
