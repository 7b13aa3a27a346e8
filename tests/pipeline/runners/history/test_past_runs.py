"""Past runs are listed with their outcome."""

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from past_summaries import leave_killed_run, leave_run, serve

from pipeline.core.contracts import NO_REFERENCE
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    RunEnded,
    ServingCheckResult,
)
from pipeline.runners.history.past_runs import find_serving_directory, list_runs
from pipeline.runners.workspace.places import Workspace

FIRST, SECOND, THIRD = (f"20260301-0{hour}0000-000000" for hour in (4, 5, 6))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, tmp_path / "serving")


@pytest.fixture
def in_delhi(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def second_of(name: str) -> int:
    return int(datetime.strptime(name, "%Y%m%d-%H%M%S-%f").timestamp())


def test_runs_without_a_readable_summary_are_listed(workspace: Workspace) -> None:
    texts = {"1": None, "2": "{", "3": '{"status": "pushed"}', "4": "[]", "5": None}
    for name, text in texts.items():
        (workspace.logs / name).mkdir(parents=True)
        if text:
            (workspace.logs / name / "summary.json").write_text(text)
    (workspace.logs / "note.txt").touch()
    (workspace.logs / ".removed").mkdir()
    statuses = {run.run: run.status for run in list_runs(workspace)}
    damaged = "summary damaged"
    assert statuses == {"1": "died", "2": damaged, "3": damaged, "4": damaged, "5": "died"}


def test_a_damaged_run_is_listed_with_what_its_events_say(workspace: Workspace) -> None:
    directory = leave_killed_run(workspace, FIRST, ["complete", "failed"])
    good = leave_run(
        workspace, SECOND, RunEnded(0, blessed=True, pushed="/srv/none/17"), seconds=3.5
    )
    (directory / "summary.json").write_text("{")
    content = json.loads((good / "summary.json").read_text())
    changed = {"started": "yesterday", "metrics": "many", "components": {}, "waiting": "x"}
    (good / "summary.json").write_text(json.dumps({**content, **changed}))
    damaged, repaired = list_runs(workspace)
    # The time of the file says when somebody damaged it.
    assert (damaged.status, damaged.seconds) == ("summary damaged", None)
    assert (damaged.component, "summary.json cannot be read" in damaged.why) == ("Pusher", True)
    assert (repaired.status, repaired.seconds, repaired.version) == ("pushed", 3.5, "17")
    assert repaired.why.endswith("has no usable started, metrics, components")
    assert find_serving_directory(workspace.root) == workspace.serving


def test_only_the_newest_run_of_a_locked_directory_is_running(workspace: Workspace) -> None:
    for name in ("1", "2"):
        (workspace.logs / name).mkdir(parents=True)
    with workspace.lock():
        assert [run.status for run in list_runs(workspace)] == ["died", "running"]
    assert [run.status for run in list_runs(workspace)] == ["died", "died"]


def test_a_run_whose_serving_check_failed_is_listed_with_the_first_problem(
    workspace: Workspace,
) -> None:
    check = ServingCheckResult(False, ("load is 9 s, allowed: 2 s", "no rows"), 5, (), ())
    leave_run(workspace, FIRST, RunEnded(5, serving_check=check, blessed=True))
    [run] = list_runs(workspace)
    assert (run.status, run.exit_code) == ("serving check failed", 5)
    assert run.why == "load is 9 s, allowed: 2 s"


def test_a_run_is_listed_with_what_its_summary_says(workspace: Workspace, in_delhi: None) -> None:
    ended = RunEnded(
        0, blessed=True, pushed=str(workspace.serving / "17"), metrics={"": {"auc": 1}}
    )
    facts = {"started": "2026-03-01T04:00:00.000+05:30", "seconds": 30.5, "deciding": ["auc"]}
    (leave_run(workspace, FIRST, ended, **facts) / "report.html").touch()
    (run,) = list_runs(workspace)
    assert (run.status, run.exit_code, run.version, run.component) == ("pushed", 0, "17", None)
    assert (run.seconds, run.deciding, run.metrics) == (30.5, ("auc",), {"auc": 1})
    assert run.started == facts["started"]
    assert run.report == str(workspace.logs / FIRST / "report.html")


def test_a_run_of_an_earlier_version_has_times_too(workspace: Workspace, in_delhi: None) -> None:
    directory = leave_run(workspace, FIRST, RunEnded(0, blessed=True))
    start = second_of(FIRST)
    os.utime(directory / "summary.json", (start + 90, start + 90))
    (run,) = list_runs(workspace)
    assert (run.started, run.seconds) == ("2026-03-01T04:00:00.000+05:30", 90)


def test_a_failed_run_names_the_component_and_the_cause(workspace: Workspace) -> None:
    failure = DagFailure("no space left", component="Trainer")
    leave_run(workspace, FIRST, RunEnded(1, error=failure))
    leave_run(workspace, SECOND, RunEnded(130), ComponentChanged("Transform", "interrupted"))
    failed, interrupted = list_runs(workspace)
    assert (failed.status, failed.component, failed.why) == ("failed", "Trainer", "no space left")
    assert (interrupted.status, interrupted.component) == ("interrupted", "Transform")


def test_a_run_that_found_its_model_served_is_told_from_the_push(workspace: Workspace) -> None:
    version = serve(workspace, "17")
    ended = RunEnded(0, blessed=True, pushed=str(version))
    leave_run(workspace, FIRST, ComponentChanged("Pusher", "complete"), ended)
    leave_run(workspace, SECOND, ComponentChanged("Pusher", "cached"), ended)
    assert [(r.status, r.served) for r in list_runs(workspace)] == [
        ("pushed", "now"), ("already served", "now")
    ]  # fmt: skip
    serve(workspace, "18")
    assert [run.served for run in list_runs(workspace)] == ["before", "before"]


def test_a_run_without_a_reference_is_marked(workspace: Workspace) -> None:
    leave_run(workspace, FIRST, DataChecked(NO_REFERENCE, ()), RunEnded(0, blessed=True))
    leave_run(workspace, SECOND, DataChecked("itself (first run)", ()), RunEnded(0, blessed=True))
    unmarked, marked = sorted(list_runs(workspace), key=lambda run: run.why)
    assert "did not compare the data" in marked.why
    assert (marked.run, unmarked.why) == (FIRST, "")


def test_the_first_warning_of_a_pushed_run_is_listed(workspace: Workspace) -> None:
    pushed = RunEnded(0, blessed=True, warnings=("auc declines: 0.8 now", "another"))
    leave_run(workspace, FIRST, pushed)
    assert list_runs(workspace)[0].why == "auc declines: 0.8 now"


def test_a_run_that_was_killed_after_its_push_names_its_version(workspace: Workspace) -> None:
    leave_killed_run(workspace, FIRST, ["running"])
    leave_killed_run(workspace, SECOND, ["running"])
    serve(workspace, str(second_of(FIRST) + 30), make_model(workspace))
    first, second = list_runs(workspace)
    assert (first.status, first.component, first.served) == ("died", "Pusher", "now")
    assert first.version == str(second_of(FIRST) + 30)
    assert "was pushed" in first.why
    assert (second.version, second.why) == (None, "")


def make_model(workspace: Workspace) -> str:
    """Makes the artifact of a model, as a Trainer does, and returns its URI."""
    model = workspace.artifacts / "20260301-000000-000000" / "Trainer" / "model" / "7"
    model.mkdir(parents=True)
    return str(model)


def test_a_killed_run_is_not_credited_with_the_push_of_another_workspace(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = Workspace(tmp_path / "other", workspace.serving)
    leave_killed_run(workspace, FIRST, ["running"])
    leave_killed_run(other, FIRST, ["running"])
    serve(workspace, str(second_of(FIRST) + 30), make_model(other))
    [run] = list_runs(workspace)
    assert (run.version, run.why) == (None, "")
    assert list_runs(other)[0].version == str(second_of(FIRST) + 30)
    # The move of a workspace changes nothing: its directory of artifacts keeps its name.
    moved = Workspace((tmp_path / "other").rename(tmp_path / "moved"), workspace.serving)
    assert list_runs(moved)[0].version == str(second_of(FIRST) + 30)


def test_a_version_whose_record_is_lost_is_that_of_the_killed_run(workspace: Workspace) -> None:
    leave_killed_run(workspace, FIRST, ["running"])
    version = str(second_of(FIRST) + 30)
    (workspace.serving / version).mkdir(parents=True)
    serve(workspace, "17")
    assert list_runs(workspace)[0].version == version


def test_a_run_whose_command_was_killed_died_although_its_process_ended_in_order(
    workspace: Workspace,
) -> None:
    ended = RunEnded(130, error=DagFailure("interrupted", component=None))
    leave_killed_run(workspace, FIRST, ["interrupted"], ended)
    pushed = str(serve(workspace, "17"))
    leave_killed_run(workspace, SECOND, ["complete"], RunEnded(0, blessed=True, pushed=pushed))
    first, second = list_runs(workspace)
    assert (first.status, first.component, first.exit_code) == ("died", "Pusher", None)
    assert first.why == ""
    assert (second.status, second.component, second.version) == ("died", None, "17")


def test_a_push_that_the_pointer_never_named_is_no_push(workspace: Workspace) -> None:
    leave_killed_run(workspace, FIRST, ["running"])
    version = str(second_of(FIRST) + 30)
    (workspace.serving / version).mkdir(parents=True)
    (workspace.serving / ".pending").write_text(version)
    assert list_runs(workspace)[0].version is None
    serve(workspace, "17")
    assert list_runs(workspace)[0].version is None


def test_a_run_that_was_killed_elsewhere_pushed_nothing(workspace: Workspace) -> None:
    leave_killed_run(workspace, FIRST, ["running", "waiting"])  # type: ignore[list-item]
    serve(workspace, str(second_of(FIRST) + 30))
    assert [(r.component, r.version) for r in list_runs(workspace)] == [("Evaluator", None)]


def test_the_serving_directory_is_found_without_the_configuration(workspace: Workspace) -> None:
    assert find_serving_directory(workspace.root) == workspace.serving
    elsewhere = workspace.root / "elsewhere"
    elsewhere.mkdir()
    leave_run(workspace, FIRST, RunEnded(0, blessed=True, pushed=str(elsewhere / "17")))
    leave_run(workspace, SECOND, RunEnded(0, blessed=True, pushed="/absent/18"))
    (workspace.logs / THIRD).mkdir()
    assert find_serving_directory(workspace.root) == elsewhere
    serve(workspace, "19")
    assert find_serving_directory(workspace.root) == workspace.serving


def test_a_copied_workspace_whose_pointer_is_lost_keeps_its_own_serving_directory(
    workspace: Workspace,
) -> None:
    original = workspace.root / "original"
    original.mkdir()
    leave_run(workspace, FIRST, RunEnded(0, blessed=True, pushed=str(original / "17")))
    (workspace.serving / ".reference").mkdir(parents=True)
    assert find_serving_directory(workspace.root) == workspace.serving
