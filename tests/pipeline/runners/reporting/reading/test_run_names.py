"""A run's id in ML Metadata leads to the directory of its logs."""

from pathlib import Path

import pytest

from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import PipelineStarted, emit
from pipeline.runners.reporting.reading.run_names import find_run_name
from pipeline.runners.workspace.places import Workspace

FIRST, SECOND = "20261123-061142-000000", "20261123-061300-000000"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace of two runs; only the second one noted its id."""
    workspace = Workspace(tmp_path, tmp_path / "serving")
    for name in (FIRST, SECOND):
        (workspace.logs / name).mkdir(parents=True)
    monkeypatch.setenv(EVENTS_VARIABLE, str(workspace.logs / SECOND / RunFile.EVENTS))
    emit(PipelineStarted((), run_id="2026-11-23T06:13:04.123456"))
    return workspace


@pytest.mark.parametrize(
    ("run_id", "name"),
    [
        ("2026-11-23T06:13:04.123456", SECOND),
        # An earlier version: the id lies shortly after the name.
        ("2026-11-23T06:11:46", FIRST),
        # The logs of this run were removed: the second directory noted another id.
        ("2026-11-23T06:20:00", None),
        ("2026-11-23T06:11:00", None),
        ("run-7f", None),
    ],
)
def test_the_directory_is_the_one_before_the_id(
    workspace: Workspace, run_id: str, name: str | None
) -> None:
    assert find_run_name(workspace, run_id) == name


def test_an_id_long_after_a_name_belongs_to_a_run_whose_logs_were_removed(
    workspace: Workspace,
) -> None:
    (workspace.logs / SECOND / RunFile.EVENTS).unlink()
    assert find_run_name(workspace, "2026-11-23T09:00:00") is None
