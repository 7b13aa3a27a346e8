"""Hands the rows of a match to AutoGluon's environment, and reads its predictions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.metrics import Answers
from benchmarks.contest.rivals.problem import align_classes
from benchmarks.contest.rows import Split
from benchmarks.measuring.process import ROOT, run_command

PYTHON = ROOT / "build/autogluon/bin/python"
"""AutoGluon's environment, which `sh scripts/autogluon.sh` builds."""
_FIT = Path(__file__).with_name("fit.py")
_LABEL = "label to predict"
"""The column of the labels: a name that no table has."""


def fit_autogluon(
    splits: Mapping[str, Split],
    task: str,
    classes: int,
    seconds: float,
    threads: int,
    directory: Path,
) -> tuple[Answers, dict[str, Any]]:
    """Returns the predictions for the test rows, and the facts of the fit.

    Args:
      seconds: the time that AutoGluon plans with.
      directory: a directory for the rows and the models, which is removed at the end.

    Raises:
      CommandError: AutoGluon failed; its output is beside the directory.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, split in splits.items():
        split.features.assign(**{_LABEL: split.labels}).to_parquet(directory / f"{name}.parquet")
    spec = {
        "directory": str(directory),
        "label": _LABEL,
        "task": task,
        "seconds": seconds,
        "threads": threads,
    }
    path = directory / "spec.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    # Packages of this project's environment must not take the place of AutoGluon's.
    environment = {"PYTHONPATH": "", "OMP_NUM_THREADS": str(threads)}
    log = directory.with_name(f"{directory.name}.log")
    run_command([str(PYTHON), str(_FIT), str(path)], log, environment)
    facts = json.loads((directory / "facts.json").read_text(encoding="utf-8"))
    with np.load(directory / "answers.npz") as arrays:
        found = arrays["answers"]
        if task != "regression":
            found = align_classes(arrays["classes"], found, task, classes)
    shutil.rmtree(directory)
    return found, facts
