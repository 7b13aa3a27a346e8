"""The summary of a run is made of its events, and of the end of its DAG process."""

import json
import math

import pytest

from pipeline.core.errors import ConfigError
from pipeline.core.events import (
    ComponentChanged,
    ComponentState,
    DagFailure,
    DataChecked,
    Failure,
    JobStarted,
    PipelineStarted,
    RunEnded,
)
from pipeline.terminal.summary import Summary


def test_the_events_of_a_good_run_fill_the_summary() -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(ComponentChanged("Trainer", "running"))
    summary.add(ComponentChanged("Trainer", "cached", seconds=0.1))
    summary.add(RunEnded(exit_code=0, blessed=True, pushed="serving/1"))
    summary.finish(0)
    assert [(c.name, c.state, c.cached) for c in summary.components] == [
        ("Trainer", "cached", True)
    ]
    assert (summary.status, summary.pushed) == ("pushed", "serving/1")
    assert json.loads(summary.to_json())["exit_code"] == 0


@pytest.mark.parametrize(
    ("state", "note", "is_unchanged"),
    [
        ("complete", None, False),
        ("cached", None, True),
        ("complete", "version 1 stays served", True),
    ],
)
def test_a_run_that_pushed_nothing_new_is_unchanged(
    state: ComponentState, note: str | None, is_unchanged: bool
) -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(ComponentChanged("Trainer", "complete", note="a note of another component"))
    summary.add(ComponentChanged("Pusher", state, note=note))
    summary.add(RunEnded(exit_code=0, blessed=True, pushed="serving/1"))
    assert summary.is_unchanged == is_unchanged


@pytest.mark.parametrize(("code", "words"), [(-9, "by signal 9"), (1, "with code 1")])
def test_a_process_that_died_without_a_word_has_failed(code: int, words: str) -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.finish(code)
    assert (summary.exit_code, summary.status) == (1, "failed")
    assert summary.error is not None
    assert words in summary.error.message


def test_the_json_has_every_key_and_null_for_undefined_metrics() -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(PipelineStarted(("ExampleGen",), run_id="2026-03-01T04:00:00"))
    summary.add(ComponentChanged("ExampleGen", "complete", 1.5, {"train": 3}))
    summary.add(RunEnded(exit_code=4, blessed=False, metrics={"": {"precision": math.nan}}))
    summary.finish(0)
    component = {"name": "ExampleGen", "state": "complete", "cached": False, "seconds": 1.5}
    assert json.loads(summary.to_json()) == {
        "name": "taxi",
        "run": "1",
        "log": "run.log",
        "exit_code": 4,
        "status": "not blessed",
        "run_id": "2026-03-01T04:00:00",
        "started": None,
        "ended": None,
        "seconds": None,
        "blessed": False,
        "pushed": None,
        "waiting": None,
        "withdrawn": None,
        "schema": None,
        "metrics": {"": {"precision": None}},
        "baseline_metrics": {},
        "deciding": [],
        "warnings": [],
        "missed": [],
        "serving_check": {},
        "exports": [],
        "tuning": {},
        "findings": {},
        "error": None,
        "removed": None,
        "report": None,
        "components": [{**component, "rows": {"train": 3}, "note": None, "jobs": []}],
    }


def test_the_json_holds_the_report_of_the_gate() -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(DataChecked("itself (first run)", ()))
    findings = json.loads(summary.to_json())["findings"]
    assert findings == {"checked_against": "itself (first run)", "findings": []}


@pytest.mark.parametrize(
    ("error", "content"),
    [
        (Failure("interrupted"), {"message": "interrupted"}),
        (Failure("interrupted", ""), {"message": "interrupted", "hint": ""}),
        (
            DagFailure("no GPU", "", component=None),
            {"component": None, "message": "no GPU", "hint": ""},
        ),
    ],
)
def test_the_json_of_an_error_has_a_component_only_from_the_dag_process(
    error: Failure, content: dict[str, object]
) -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(RunEnded(exit_code=1, error=error))
    assert json.loads(summary.to_json())["error"] == content


def test_a_refused_run_has_a_summary_too() -> None:
    summary = Summary.of_refused_run(ConfigError("no such file", "name another"))
    assert (summary.exit_code, summary.status) == (2, "misconfigured")
    assert summary.error == Failure("no such file", "name another")


def test_a_component_keeps_its_jobs_after_its_end() -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add(JobStarted("flink", "taxi-probe-1"))
    summary.add(ComponentChanged("Transform", "running"))
    summary.add(JobStarted("flink", "taxi-transform-1", "http://localhost:8081/#/job/a"))
    summary.add(JobStarted("flink", "taxi-transform-2"))
    summary.add(ComponentChanged("Transform", "complete", seconds=1.0))
    summary.add(ComponentChanged("Trainer", "complete", seconds=1.0))
    jobs = {component.name: component.jobs for component in summary.components}
    assert jobs == {
        "Transform": ("http://localhost:8081/#/job/a", "taxi-transform-2"),
        "Trainer": (),
    }
