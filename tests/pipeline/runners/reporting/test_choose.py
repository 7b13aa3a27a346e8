"""A run is found by its name, and the newest one without a name."""

from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.reporting.choose import choose_run
from pipeline.runners.workspace.places import Workspace

OLD, NEW = "20261123-061142-000000", "20261123-061300-000000"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in (OLD, NEW):
        (tmp_path / "logs" / name).mkdir(parents=True)
    return Workspace(tmp_path, tmp_path / "serving")


def test_the_newest_run_is_the_default(workspace: Workspace) -> None:
    assert choose_run(workspace, None) == NEW
    assert choose_run(workspace, OLD) == OLD


def test_an_unknown_run_is_refused_with_the_nearest_name(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="no run 20261123-0611") as refused:
        choose_run(workspace, "20261123-0611")
    assert OLD in refused.value.hint
    with pytest.raises(ConfigError, match=r"no run \.\."):
        choose_run(workspace, "..")


def test_a_place_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run has left logs here"):
        choose_run(Workspace(tmp_path / "none", tmp_path / "none" / "serving"), None)
