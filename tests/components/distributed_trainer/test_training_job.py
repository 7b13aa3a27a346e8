"""The key of a training, and the arguments that reach a worker."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tfx.types import standard_artifacts
from trainer_artifacts import make_job

from components.supervision.worker import run_job
from components.tuner.results import BEST_FILE


def test_the_key_depends_on_inputs_and_properties_but_not_on_outputs(tmp_path: Path) -> None:
    job = make_job(tmp_path, run_fn="a")
    key = job.compute_key()
    assert dataclasses.replace(job, outputs={}).compute_key() == key
    assert make_job(tmp_path, run_fn="b").compute_key() != key
    assert make_job(tmp_path / "new", run_fn="a").compute_key() != key


def test_the_tuners_best_values_reach_each_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"training.learning_rate": 0.02, "model.hidden_units": [8]}
    (tmp_path / "best").mkdir()
    (tmp_path / "best" / BEST_FILE).write_text(json.dumps(values))
    best = standard_artifacts.HyperParameters()
    best.uri = str(tmp_path / "best")
    job = make_job(tmp_path, run_fn="run_functions.write_hyperparameters")
    job = dataclasses.replace(job, inputs={**job.inputs, "hyperparameters": [best]})
    cluster = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
    run_job(job.to_line())
    assert json.loads((tmp_path / "run" / "values").read_text()) == values
