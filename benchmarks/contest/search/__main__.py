"""`python -m benchmarks.contest.search SPEC`: searches the settings of one rival."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.rivals.fixed import fit_one_lightgbm
from benchmarks.contest.rivals.problem import Problem
from benchmarks.contest.rows import read_splits
from benchmarks.contest.search import spaces, trials
from benchmarks.contest.search.loop import search
from benchmarks.spec import write_answer
from pipeline.config import load_config

_RIVALS = {
    "lightgbm": (fit_one_lightgbm, spaces.LIGHTGBM),
    "catboost": (trials.fit_catboost, spaces.CATBOOST),
}


def search_rival(spec: dict[str, Any]) -> dict[str, Any]:
    """Writes the predictions for the test rows to the file `answers`; returns what was found."""
    config = load_config([Path(spec["config"])], spec["assignments"])
    splits = read_splits(Path(spec["run"]), config)
    fit, space = _RIVALS[spec["rival"]]
    label = config.label
    problem = Problem(splits, label.task, len(label.classes), spec["seed"], spec["threads"])
    found = search(fit, space, problem.end_in(spec["seconds"]))
    np.save(spec["answers"], found.best.answers)
    return {
        "seconds": found.seconds,
        "trials": found.trials,
        "settings": found.settings,
        "eval_loss": found.best.eval_loss,
    }


if __name__ == "__main__":
    write_answer(sys.argv[1], search_rival)
