"""The section retention removes old runs, and never fails a run."""

from pathlib import Path

from recorded_workspace import MADE, RecordedWorkspace

from pipeline.runners.history.garbage.retention import apply_retention
from pipeline.runners.history.past_runs import list_runs
from pipeline.terminal.summary import RemovedRuns


def test_the_newest_runs_stay(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    runs = [recorded.run([*MADE]) for _ in range(3)]
    removed = apply_retention(recorded.workspace, 2)
    assert (removed.runs, removed.artifacts) == (1, 3)
    assert [run.run for run in list_runs(recorded.workspace)] == runs[1:]
    assert apply_retention(recorded.workspace, 2) == RemovedRuns()


def test_an_error_is_told_and_not_raised(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    for _ in range(2):
        recorded.run([*MADE])
    recorded.serve("17", recorded.latest("Model"))
    (recorded.workspace.serving / "served.json").write_text("damaged")
    removed = apply_retention(recorded.workspace, 1)
    assert removed.runs == 0
    assert removed.error is not None
    assert "damaged" in removed.error
