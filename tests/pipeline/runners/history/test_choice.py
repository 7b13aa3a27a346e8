"""A workspace is found by configuration or directory, and its runs are chosen by filters."""

from datetime import datetime
from pathlib import Path

import pytest
from past_summaries import leave_killed_run, leave_run, serve

from pipeline.core.errors import ConfigError
from pipeline.core.events import DagFailure, RunEnded
from pipeline.runners.history.choice import RunFilter, find_workspace
from pipeline.runners.history.past_runs import list_runs
from pipeline.runners.workspace.places import Workspace

GATE = DagFailure("1 finding", component="AnomalyGate")
TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path, tmp_path / "serving")
    leave_killed_run(workspace, "20260301-040000-000000", ["running"])
    pushed = str(serve(workspace, "17"))
    leave_run(workspace, "20260302-040000-000000", RunEnded(0, blessed=True, pushed=pushed))
    leave_run(workspace, "20260303-040000-000000", RunEnded(4, blessed=False))
    leave_run(workspace, "20260304-040000-000000", RunEnded(3, error=GATE))
    return workspace


@pytest.mark.parametrize(
    ("chosen", "days"),
    [
        (RunFilter(), [1, 2, 3, 4]),
        (RunFilter(["died"]), [1]),
        (RunFilter(["not-blessed", "STOPPED"]), [3, 4]),
        (RunFilter(since=datetime(2026, 3, 3, 4)), [3, 4]),
        (RunFilter(last=2), [3, 4]),
        (RunFilter(served=True), [2]),
        (RunFilter(["died", "pushed"], last=1), [2]),
    ],
    ids=str,
)
def test_filters_choose_runs(workspace: Workspace, chosen: RunFilter, days: list[int]) -> None:
    found = chosen.choose(list_runs(workspace))
    assert [run.run for run in found] == [f"2026030{day}-040000-000000" for day in days]


def test_a_status_that_no_run_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="--status blessed: no run has this status") as caught:
        RunFilter(["blessed"])
    assert "not blessed" in caught.value.hint


def test_a_workspace_is_found(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give --output DIR or --config FILE"):
        find_workspace([], [], None)
    for configs in ([], [TAXI]):
        with pytest.raises(ConfigError, match=f"--output {tmp_path}/absent: there is no such dir"):
            find_workspace(configs, [], tmp_path / "absent")
        assert find_workspace(configs, [], tmp_path).root == tmp_path
    served = [f"serving.directory={tmp_path}/models"]
    assert find_workspace([TAXI], served, tmp_path).serving == tmp_path / "models"
