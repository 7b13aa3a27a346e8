"""The record that a task leaves on the volume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.errors import DataError
from pipeline.runners.kubeflow.in_cluster.recording import Result, run_recorded
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.kubeflow.run_records.task_record import OutputRecord

PROPERTIES = {
    "surroundings": json.dumps(["--code=1f2e", {"A": "1"}]),
    "custom_config": json.dumps({"code": "c0de"}),
}
INPUT: dict[str, Any] = {
    "inputs": {
        "parameterValues": {"properties": json.dumps(PROPERTIES)},
        "artifacts": {"examples": {"artifacts": [{"uri": "s3://b/examples"}]}},
    }
}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", "run-1")
    return RunDirectory(tmp_path / "runs/run-1")


def test_a_complete_task_leaves_its_inputs_outputs_and_files(
    directory: RunDirectory, tmp_path: Path
) -> None:
    (tmp_path / "history.json").write_text("{}")
    outputs = {"model_run": OutputRecord("ModelRun", "s3://b/run", {"note": "fine"})}
    states = []

    def run() -> Result:
        states.append(directory.read()["Trainer"].state)
        files = {"model_run": {"history.json": tmp_path / "history.json"}}
        return Result(outputs, files, {"blessed": True})

    run_recorded("Trainer", INPUT, run)
    record = directory.read()["Trainer"]
    assert (states, record.state) == (["running"], "complete")
    assert record.inputs == {"examples": ("s3://b/examples",)}
    assert (record.outputs, record.outcome) == (outputs, {"blessed": True})
    assert record.code == {"Trainer": "1f2e", "Trainer, loaded module": "c0de"}
    assert int(record.hardware["cores"]) > 0
    assert (directory.files("Trainer", "model_run") / "history.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("error", "state", "exit_code", "message"),
    [
        (DataError("no rows", "add some"), "failed", 3, "no rows"),
        (KeyError("missing"), "failed", 1, "KeyError: 'missing'"),
        (KeyboardInterrupt(), "interrupted", 130, None),
    ],
)
def test_a_failed_task_leaves_its_error(
    directory: RunDirectory, error: BaseException, state: str, exit_code: int, message: str | None
) -> None:
    def run() -> Result:
        raise error

    with pytest.raises(type(error)):
        run_recorded("Trainer", INPUT, run)
    record = directory.read()["Trainer"]
    assert (record.state, record.exit_code) == (state, exit_code)
    assert (record.error.message if record.error else None) == message


def test_a_task_without_a_run_leaves_nothing_but_runs(tmp_path: Path) -> None:
    ran = []
    run_recorded("Trainer", INPUT, lambda: ran.append(1) or Result())
    assert ran


def test_a_volume_that_cannot_be_written_does_not_fail_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "runs").touch()
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", "run-1")
    run_recorded("Trainer", INPUT, Result)
    assert "The page of the run will lack this task" in caplog.text
