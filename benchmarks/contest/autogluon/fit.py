"""Fits AutoGluon: `python fit.py SPEC`.

This file runs in AutoGluon's own environment, so it imports nothing of this project. SPEC is a JSON
file with the task, the seconds, the threads and the directory of the rows.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from autogluon.tabular import TabularPredictor

_PRESETS = "medium_quality"
_METRICS = {
    "binary": "log_loss",
    "multiclass": "log_loss",
    "regression": "root_mean_squared_error",
}


def fit(spec: dict[str, Any]) -> None:
    """Writes the predictions for the test rows, and the facts of the fit, into the directory.

    AutoGluon weighs its models on the eval rows, on which the other rivals stop early.
    """
    directory, started = Path(spec["directory"]), time.monotonic()
    train, held_out, test = (
        pd.read_parquet(directory / f"{name}.parquet") for name in ("train", "eval", "test")
    )
    predictor = TabularPredictor(
        label=spec["label"],
        problem_type=spec["task"],
        eval_metric=_METRICS[spec["task"]],
        path=str(directory / "models"),
    )
    predictor.fit(
        train,
        tuning_data=held_out,
        presets=_PRESETS,
        time_limit=spec["seconds"],
        num_cpus=spec["threads"],
        num_gpus=0,
    )
    np.savez(directory / "answers.npz", **_answer(predictor, test, spec["task"]))
    facts = {"seconds": time.monotonic() - started, "trials": len(predictor.model_names())}
    (directory / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _answer(predictor: TabularPredictor, test: pd.DataFrame, task: str) -> dict[str, Any]:
    """Returns numbers, [rows], or the known classes and their probabilities, [rows, classes]."""
    if task == "regression":
        return {"answers": predictor.predict(test).to_numpy(np.float64)}
    found = predictor.predict_proba(test)
    return {"answers": found.to_numpy(np.float64), "classes": np.asarray(found.columns, np.int64)}


if __name__ == "__main__":
    fit(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
