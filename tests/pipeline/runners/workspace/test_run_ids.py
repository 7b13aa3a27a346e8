"""A run of ML Metadata is found for each directory of logs, also for those of earlier versions."""

import json
from pathlib import Path

import pytest

from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import PipelineStarted, emit
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.run_ids import find_run_names, match_runs

FIRST, SECOND, THIRD = (f"20260301-0{hour}0000-000000" for hour in (4, 5, 6))
ENDED = {"status": "pushed", "exit_code": 0}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, tmp_path / "serving")


def make_run(workspace: Workspace, name: str, summary: object = None) -> Path:
    directory = workspace.logs / name
    directory.mkdir(parents=True)
    if summary is not None:
        (directory / RunFile.SUMMARY).write_text(json.dumps(summary))
    return directory


def test_the_noted_id_counts_although_the_clock_was_set_back(workspace: Workspace) -> None:
    # The clock was set back between the start of the command and the start of the DAG.
    make_run(workspace, FIRST, {**ENDED, "run_id": "2026-03-01T03:00:05.000000"})
    make_run(workspace, SECOND, {**ENDED, "run_id": "2026-03-01T05:00:05.000000"})
    assert match_runs(workspace, ["2026-03-01T03:00:05.000000", "absent"]) == {
        FIRST: "2026-03-01T03:00:05.000000"
    }
    assert find_run_names(workspace, ["2026-03-01T03:00:05.000000", "absent"]) == {
        "2026-03-01T03:00:05.000000": FIRST
    }


@pytest.mark.parametrize(
    ("run_id", "name"),
    [
        ("2026-03-01T05:00:05.000000", SECOND),
        # An earlier version: the id lies shortly after the name.
        ("2026-03-01T04:00:09", FIRST),
        # The logs of these runs were removed.
        ("2026-03-01T05:00:07", None),
        ("2026-03-01T04:30:00", None),
        ("2026-03-01T03:59:59", None),
        ("run-7f", None),
    ],
)
def test_an_id_leads_to_the_directory_that_noted_it_or_began_shortly_before(
    workspace: Workspace, run_id: str, name: str | None
) -> None:
    make_run(workspace, FIRST)
    make_run(workspace, SECOND, {**ENDED, "run_id": "2026-03-01T05:00:05.000000"})
    assert find_run_names(workspace, [run_id]).get(run_id) == name


def test_the_id_of_a_killed_run_is_in_its_events(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = make_run(workspace, "20260301-040000-000000")
    monkeypatch.setenv(EVENTS_VARIABLE, str(directory / RunFile.EVENTS))
    emit(PipelineStarted(("Trainer",), "chosen"))
    assert match_runs(workspace, ["chosen"]) == {directory.name: "chosen"}


def test_runs_of_earlier_versions_are_found_by_their_times(workspace: Workspace) -> None:
    make_run(workspace, FIRST, ENDED)
    make_run(workspace, SECOND)  # Refused before its first component.
    make_run(workspace, THIRD, [])
    make_run(workspace, "by-hand")
    ids = ["2026-03-01T03:59:59", "2026-03-01T04:00:05.1", "2026-03-01T06:00:05", "on-kubeflow"]
    ids[1] += "00000"
    assert match_runs(workspace, ids) == {FIRST: ids[1], THIRD: ids[2]}
