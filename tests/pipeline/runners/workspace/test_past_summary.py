"""The summary of a past run is read, whatever is left of its files."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.contracts import Node, RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    Event,
    Failure,
    Finding,
    PipelineStarted,
    RunEnded,
    SearchResults,
    TrialResult,
    emit,
)
from pipeline.core.statuses import Status
from pipeline.runners.workspace.past_summary import read_summary
from pipeline.terminal.summary import Summary

FINDING = Finding("fare", "drift", "stop", ("train",), "a", "b", "c", ("1",), "d", "e")
TRIAL = TrialResult("1", {"training.epochs": 3}, "done", 0.5, {"steps": 9.0})
EVENTS: tuple[Event, ...] = (
    PipelineStarted((Node.EXAMPLE_GEN, Node.PUSHER), "2026-03-01T04:00:05"),
    ComponentChanged(Node.EXAMPLE_GEN, "complete", 1.5, {"train": 3}, "a note"),
    ComponentChanged(Node.PUSHER, "failed", 0.5),
    DataChecked("the served model 16", (FINDING,)),
    RunEnded(
        exit_code=1,
        error=DagFailure("no space left", "free some", component=Node.PUSHER),
        tuning=SearchResults("eval_loss", (TRIAL,), "1", "search-1", TRIAL.values),
        blessed=True,
        pushed="/srv/17",
        metrics={"": {"auc": 0.9, "precision": math.nan}},
        missed=("auc is low",),
    ),
)
OTHERS = (None, True, 17, -1.5, "x", [], [1], {}, {"x": 1}, [{"x": []}])


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The logs of a run that sent all events."""
    directory = tmp_path / "logs" / "20260301-040000-000000"
    directory.mkdir(parents=True)
    monkeypatch.setenv(EVENTS_VARIABLE, str(directory / RunFile.EVENTS))
    for event in EVENTS:
        emit(event)
    return directory


def make_summary(directory: Path) -> Summary:
    log = str(directory / RunFile.LOG)
    times = {"started": "2026-03-01T04:00:00+05:30", "ended": "2026-03-01T04:01:00+05:30"}
    summary = Summary("shop", directory.name, log, **times, seconds=60.5, deciding=["auc"])
    for event in EVENTS:
        summary.add(event)
    summary.finish(1)
    return summary


def write(directory: Path, content: Any) -> None:
    (directory / RunFile.SUMMARY).write_text(json.dumps(content))


def test_a_summary_survives_its_file(directory: Path) -> None:
    summary = make_summary(directory)
    summary.write(directory / RunFile.SUMMARY)
    past = read_summary(directory)
    assert (past.is_written, past.damage) == (True, "")
    # NaN is written as null, and differs from itself.
    assert math.isnan(past.summary.metrics[""]["precision"])
    assert json.loads(past.summary.to_json()) == json.loads(summary.to_json())


def test_a_run_without_a_summary_died_unless_it_is_at_work(directory: Path) -> None:
    died = read_summary(directory)
    assert (died.is_written, died.summary.status, died.summary.exit_code) == (False, "died", None)
    assert died.summary.pushed == "/srv/17"
    assert read_summary(directory, is_at_work=True).summary.status == "running"


@pytest.mark.parametrize("text", ["", "{", "[]", "17", '{"name": "x"}', "\x00\xff", "[" * 100_000])
def test_a_damaged_summary_is_named_and_the_events_say_the_rest(directory: Path, text: str) -> None:
    (directory / RunFile.SUMMARY).write_text(text)
    past = read_summary(directory)
    assert (past.summary.status, past.summary.exit_code) == (Status.DAMAGED, None)
    assert str(directory / RunFile.SUMMARY) in past.damage
    assert (past.summary.component, past.summary.pushed) == (Node.PUSHER, "/srv/17")


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_a_value_of_another_type_counts_as_damage_or_as_none(directory: Path, other: Any) -> None:
    good = json.loads(make_summary(directory).to_json())
    for key in good:
        write(directory, {**good, key: other})
        past = read_summary(directory)
        past.summary.write(directory / RunFile.SUMMARY)
        assert read_summary(directory).damage == "", key
        is_lost = key in ("status", "exit_code") and bool(past.damage)
        assert past.summary.status == ("summary damaged" if is_lost else "failed")


def test_values_deep_inside_are_checked_too(directory: Path) -> None:
    good = json.loads(make_summary(directory).to_json())
    good["components"][0]["seconds"] = "soon"
    good["metrics"][""]["auc"] = {}
    good["started"] = "yesterday"
    write(directory, good)
    past = read_summary(directory)
    assert past.damage.endswith("has no usable started, metrics, components")
    assert past.summary.components[0].seconds == 1.5
    assert past.summary.metrics[""]["auc"] == 0.9
    assert past.summary.started is None


def test_an_earlier_version_called_each_refusal_a_stop_of_the_gate(directory: Path) -> None:
    good = json.loads(make_summary(directory).to_json())
    stopped = {"status": "stopped by the data gate", "exit_code": 3}
    write(directory, {**good, **stopped})
    assert read_summary(directory).summary.status == "data refused"
    write(directory, {**good, **stopped, "error": {"message": "x", "component": "AnomalyGate"}})
    assert read_summary(directory).summary.status == "stopped by the data gate"


def test_the_error_of_the_command_itself_has_no_component(directory: Path) -> None:
    summary = make_summary(directory)
    summary.error = Failure("interrupted", "")
    summary.write(directory / RunFile.SUMMARY)
    assert read_summary(directory).summary.error == Failure("interrupted", "")
