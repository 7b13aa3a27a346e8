"""Past runs are listed with their outcome."""

import json
from pathlib import Path

import pytest

from pipeline.runners.workspace.past_runs import list_runs
from pipeline.runners.workspace.places import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, tmp_path / "serving")


def test_runs_without_a_readable_summary_are_listed(workspace: Workspace) -> None:
    for name, text in {"1": None, "2": "{", "3": '{"status": "pushed"}', "4": None}.items():
        (workspace.logs / name).mkdir(parents=True)
        if text:
            (workspace.logs / name / "summary.json").write_text(text)
    (workspace.logs / "note.txt").touch()
    assert list_runs(workspace) == [
        ("1", "died", "", ""),
        ("2", "summary damaged", "", ""),
        ("3", "summary damaged", "", ""),
        ("4", "died", "", ""),
    ]


def test_a_run_is_listed_with_its_version(workspace: Workspace) -> None:
    run = workspace.make_run_directory()
    summary = {"status": "pushed", "exit_code": 0, "pushed": "/out/serving/17"}
    (run / "summary.json").write_text(json.dumps(summary))
    assert list_runs(workspace) == [(run.name, "pushed", 0, "17")]


def test_only_the_newest_run_of_a_locked_directory_is_running(workspace: Workspace) -> None:
    for name in ("1", "2"):
        (workspace.logs / name).mkdir(parents=True)
    with workspace.lock():
        assert [run[1] for run in list_runs(workspace)] == ["died", "running"]
    assert [run[1] for run in list_runs(workspace)] == ["died", "died"]
