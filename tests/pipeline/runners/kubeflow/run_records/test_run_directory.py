"""The records of the runs on the volume."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from kubeflow_records import make_record

from pipeline.runners.kubeflow.run_records.run_directory import (
    RunDirectory,
    list_other_runs,
    sweep_runs,
)


def make_runs(root: Path, number: int, page: bool) -> list[RunDirectory]:
    """Returns runs with a record each, the oldest first."""
    runs = [RunDirectory(root / f"run-{i}") for i in range(number)]
    for age, run in enumerate(reversed(runs)):
        run.write(make_record("Prepare", run.run))
        when = time.time() - 60 * age
        os.utime(run.path / "tasks", (when, when))
        if page:
            (run.path / "report.html").touch()
    return runs


def test_a_process_knows_its_run_by_two_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert RunDirectory.of_this_run() is None
    monkeypatch.setenv("PIPELINE_RECORDS", "/mnt/pipeline/taxi/runs")
    assert RunDirectory.of_this_run() is None
    monkeypatch.setenv("PIPELINE_RUN_ID", "1f2e")
    directory = RunDirectory.of_this_run()
    assert directory is not None
    assert (directory.path, directory.run) == (Path("/mnt/pipeline/taxi/runs/1f2e"), "1f2e")


def test_records_are_read_back_by_node_without_damaged_ones(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run-1")
    assert directory.read() == {}
    record = make_record("Trainer")
    directory.write(make_record("Trainer", state="running"))
    directory.write(record)
    (tmp_path / "run-1/tasks/Pusher.json").write_text('{"node": ')
    assert directory.read() == {"Trainer": record}


def test_an_adopted_task_has_the_files_of_the_run_that_made_it(tmp_path: Path) -> None:
    first, second = RunDirectory(tmp_path / "run-1"), RunDirectory(tmp_path / "run-2")
    (tmp_path / "history.json").write_text("{}")
    first.write(record := make_record("Trainer"))
    first.keep_files("Trainer", "model_run", {"history.json": tmp_path / "history.json"})
    adopted = second.adopt(record, first)
    assert (adopted.run, adopted.state, adopted.seconds) == ("run-1", "cached", None)
    assert second.read() == {"Trainer": adopted}
    assert (second.files("Trainer", "model_run") / "history.json").read_text() == "{}"


def test_the_newest_runs_and_this_one_stay(tmp_path: Path) -> None:
    *_, last = make_runs(tmp_path, 5, page=True)
    assert [run.run for run in list_other_runs(last)] == ["run-3", "run-2", "run-1", "run-0"]
    sweep_runs(last, keep=3)
    assert {path.name for path in tmp_path.iterdir()} == {"run-2", "run-3", "run-4"}
    oldest = RunDirectory(tmp_path / "run-2")
    sweep_runs(oldest, keep=1)
    assert {path.name for path in tmp_path.iterdir()} == {"run-2"}


def test_a_run_that_may_be_at_work_stays_for_30_days(tmp_path: Path) -> None:
    first, *_, last = make_runs(tmp_path, 3, page=False)
    sweep_runs(last, keep=1)
    assert len(list(tmp_path.iterdir())) == 3
    when = time.time() - 31 * 24 * 3600
    os.utime(first.path / "tasks", (when, when))
    sweep_runs(last, keep=1)
    assert {path.name for path in tmp_path.iterdir()} == {"run-1", "run-2"}
