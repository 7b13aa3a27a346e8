"""What a run left is read, whichever of its files are missing."""

from pathlib import Path

import pytest
from runs_for_pages import STARTED, complete

from pipeline.core.contracts import Node, RunFile
from pipeline.core.environment import EVENT_FIELDS_VARIABLE, EVENTS_VARIABLE
from pipeline.core.events import (
    BatchesPlanned,
    DagFailure,
    Failure,
    PipelineStarted,
    RunEnded,
    Sender,
    WorkersRestarted,
    emit,
)
from pipeline.runners.reporting.reading.run_files import read_run_files
from pipeline.terminal.summary import Summary


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a run whose processes send events to it."""
    directory = tmp_path / "logs" / "20261123-061142-993456"
    directory.mkdir(parents=True)
    monkeypatch.setenv(EVENTS_VARIABLE, str(directory / RunFile.EVENTS))
    return directory


def test_a_run_that_ended_has_its_outcome(directory: Path) -> None:
    summary = Summary("shop", directory.name, "run.log", seconds=3.5)
    for event in (STARTED, *complete(Node.EXAMPLE_GEN), RunEnded(1, error=Failure("no"))):
        emit(event)
        summary.add(event)
    summary.finish(1)
    summary.error = DagFailure("out of rows", component=Node.EXAMPLE_GEN)
    summary.write(directory / RunFile.SUMMARY)
    run = read_run_files(directory)
    assert (run.summary.name, run.summary.status, run.summary.seconds) == ("shop", "failed", 3.5)
    assert run.summary.error == summary.error
    assert run.summary.run_id == STARTED.run_id
    assert run.started == STARTED
    assert [component.state for component in run.summary.components] == ["complete"]


def test_a_run_without_an_outcome_died_unless_it_is_at_work(directory: Path) -> None:
    emit(STARTED)
    died = read_run_files(directory)
    assert (died.summary.status, died.summary.exit_code) == ("died", None)
    assert read_run_files(directory, is_at_work=True).summary.status == "running"


def test_a_run_that_died_after_its_last_event_died(directory: Path) -> None:
    emit(RunEnded(0, blessed=True, pushed="/srv/3"))
    summary = read_run_files(directory).summary
    assert (summary.status, summary.exit_code, summary.pushed) == ("died", None, "/srv/3")


def test_a_run_with_a_damaged_summary_has_its_events(directory: Path) -> None:
    emit(STARTED)
    (directory / RunFile.SUMMARY).write_text("{")
    run = read_run_files(directory)
    assert (run.summary.status, run.started) == ("summary damaged", STARTED)
    assert "summary.json cannot be read" in run.damage


def test_times_count_from_the_first_event(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emit(STARTED)
    monkeypatch.setattr("time.time", lambda: run.envelopes[0].time + 30)  # type: ignore[operator]
    run = read_run_files(directory)
    emit(WorkersRestarted("lost", seconds=1))
    assert read_run_files(directory).times(WorkersRestarted) == [30.0]
    assert run.times(PipelineStarted) == [0.0]


def test_events_of_trials_are_not_those_of_the_training(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EVENT_FIELDS_VARIABLE, Sender("Tuner", "3").to_line())
    emit(BatchesPlanned(1000, 100, 100, 50, 10, 2, 100, None))
    assert read_run_files(directory).events(BatchesPlanned) == []
