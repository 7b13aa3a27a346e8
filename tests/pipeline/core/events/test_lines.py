"""Events survive several writers, late readers, cut lines and files of other versions."""

import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from pipeline.core.environment import EVENT_FIELDS_VARIABLE, EVENTS_VARIABLE
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    Envelope,
    Event,
    EventReader,
    ExportResult,
    Failure,
    Finding,
    OtherBackupFound,
    PipelineStarted,
    RunEnded,
    SearchResults,
    SearchResumed,
    Sender,
    TrainingResumed,
    TrialChanged,
    TrialResult,
    WorkersRestarted,
    emit,
)

A, B, C, D = (json.dumps({"event": "restart", "cause": c, "seconds": 1.0}) for c in "abcd")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the run's events are written."""
    path = tmp_path / "events.jsonl"
    monkeypatch.setenv(EVENTS_VARIABLE, str(path))
    return path


def causes(reader: EventReader) -> list[str]:
    return [envelope.event.cause for envelope in reader.read()]


def emit_many(writer: int) -> None:
    for number in range(200):
        emit(WorkersRestarted(f"{writer} {number} {'x' * 300}", seconds=1.0))


def test_lines_of_several_processes_do_not_mix(path: Path) -> None:
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(emit_many, range(2)))
    found = sorted(tuple(map(int, cause.split()[:2])) for cause in causes(EventReader(path)))
    assert found == [(writer, number) for writer in range(2) for number in range(200)]


def test_a_reader_waits_for_whole_lines(path: Path) -> None:
    reader = EventReader(path)
    assert reader.read() == []
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{A}\n{B[:5]}")
        file.flush()
        assert causes(reader) == ["a"]
        file.write(f"{B[5:]}\n")
    assert causes(reader) == ["b"]
    assert reader.read() == []


def test_a_line_that_a_full_disk_cut_is_skipped(path: Path) -> None:
    path.write_text(f"{A}\n{B[:20]}{C}\n{D}\n")
    assert causes(EventReader(path)) == ["a", "d"]


@pytest.mark.parametrize(
    "line",
    [
        "17",
        "[1]",
        '{"cause": "x"}',
        '{"event": "of a later version"}',
        '{"event": "restart", "cause": "without its seconds"}',
        '{"event": "findings", "checked_against": "x", "findings": [1]}',
        '{"event": "end", "exit_code": 1, "error": "not an object"}',
        '{"event": "restart", "cause": ["x"], "seconds": 1.0}',
        '{"event": "restart", "cause": "x", "seconds": "soon"}',
        '{"event": "restart", "cause": "x", "seconds": 1.0, "time": "noon"}',
        '{"event": "restart", "cause": "x", "seconds": 1.0, "trial": 3}',
        '{"event": "pipeline", "components": ["Trainer"], "run_id": []}',
        '{"event": "component", "name": "Trainer", "state": "asleep"}',
        "[" * 100_000,
    ],
)
def test_a_line_of_another_form_is_skipped(path: Path, line: str) -> None:
    path.write_text(f"{A}\n{line}\n{D}\n")
    assert causes(EventReader(path)) == ["a", "d"]


def test_an_unknown_field_is_ignored(path: Path) -> None:
    path.write_text('{"event": "component", "name": "Trainer", "state": "running", "later": 1}\n')
    assert EventReader(path).read() == [Envelope(ComponentChanged("Trainer", "running"))]


FINDING = Finding("fare", "drift", "stop", ("train",), "a", "b", "c", ("1", "2"), "d", "e")
TRIAL = TrialResult("1", {"training.learning_rate": 0.1}, "done", 0.5, {"steps": 9}, 2.0, 1)


@pytest.mark.parametrize(
    "event",
    [
        PipelineStarted(("ExampleGen", "Trainer")),
        PipelineStarted(
            ("ExampleGen", "Trainer"),
            "2026-03-01T04:00:00",
            upstream={"ExampleGen": [], "Trainer": ["ExampleGen"]},
            code={"Trainer": "2b33d04b"},
        ),
        ComponentChanged("ExampleGen", "complete", 1.5, {"train": 3}, "a note"),
        DataChecked("itself (first run)", (FINDING,)),
        TrainingResumed(epoch=3, step=0),
        OtherBackupFound(directory="/out/backups/3f"),
        SearchResumed(trials=2),
        TrialChanged(**vars(TRIAL), trials=None, ended=1, best=0.5),
        RunEnded(130, error=Failure("interrupted")),
        RunEnded(2, error=DagFailure("no GPU", "", component=None)),
        RunEnded(
            exit_code=4,
            schema="/out/schema.pbtxt",
            tuning=SearchResults("eval_loss", (TRIAL,), "1", "search-1", TRIAL.values),
            blessed=False,
            metrics={"": {"auc": 0.5}},
            missed=("auc is too low",),
            exports=(
                ExportResult("model", "model", metrics={"auc": 0.5}, milliseconds={"1": 0.1}),
                ExportResult("onnx", "export", False, ("auc fell",), {"auc": None}, 0.1, 5, 4),
            ),
        ),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_reader_gets_the_event_that_was_sent(path: Path, event: Event) -> None:
    assert emit(event)
    assert EventReader(path).read() == [Envelope(event)]


def test_the_lines_of_a_running_component_hold_no_results(path: Path) -> None:
    emit(ComponentChanged("Trainer", "running"))
    emit(SearchResumed(trials=2))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    times = [line.pop("time") for line in lines]
    assert lines == [
        {"event": "component", "name": "Trainer", "state": "running"},
        {"event": "resumed", "component": "Tuner", "trials": 2},
    ]
    assert time.time() - 60 < times[0] <= times[1] <= time.time() + 1
    assert [envelope.time for envelope in EventReader(path).read()] == times


def test_events_of_a_trial_bear_its_number(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EVENT_FIELDS_VARIABLE, Sender(component="Tuner", trial="7").to_line())
    emit(TrainingResumed(epoch=3, step=0))
    content = json.loads(path.read_text())
    del content["time"]
    assert content == {
        "event": "resumed", "component": "Tuner", "trial": "7",
        "epoch": 3, "step": 0, "unit": "epoch",
    }  # fmt: skip
    assert EventReader(path).read() == [Envelope(TrainingResumed(epoch=3, step=0), trial="7")]


def test_without_a_file_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EVENTS_VARIABLE, raising=False)
    assert emit(ComponentChanged("Trainer", "running"))


def test_a_full_disk_is_reported_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EVENTS_VARIABLE, "/dev/full")
    assert not emit(RunEnded(exit_code=1))
