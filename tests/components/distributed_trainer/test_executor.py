"""The executor starts the workers, and fails if no worker exports a model."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from trainer_artifacts import make_job

from components.distributed_trainer.executor import Executor
from pipeline.core.errors import PipelineError


def _execute(directory: Path, run_fn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = (str(Path(__file__).parent), os.getcwd())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    custom_config = json.dumps({"training": json.dumps({"workers": 2})})
    job = make_job(directory, run_fn=f"run_functions.{run_fn}", custom_config=custom_config)
    Executor().Do(dict(job.inputs), dict(job.outputs), dict(job.properties))


def test_a_training_succeeds_when_a_worker_has_exported_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _execute(tmp_path, "export_model", monkeypatch)
    assert (tmp_path / "model" / "Format-Serving").is_dir()


def test_a_training_without_an_exported_model_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PipelineError, match="no worker has exported a model"):
        _execute(tmp_path, "export_nothing", monkeypatch)
