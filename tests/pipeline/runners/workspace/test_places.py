"""An output directory holds one run, and never mixes the artifacts of two histories."""

import errno
import fcntl
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.core.files import staged_name
from pipeline.runners.workspace.past_runs import list_runs
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.report import print_runs

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.of(load_config([TAXI]), tmp_path)


def write_metadata(workspace: Workspace, executions: int) -> None:
    workspace.metadata.unlink(missing_ok=True)
    database = sqlite3.connect(workspace.metadata)
    database.execute("CREATE TABLE Execution (id INTEGER PRIMARY KEY)")
    database.executemany("INSERT INTO Execution VALUES (?)", [(i + 1,) for i in range(executions)])
    database.commit()
    database.close()


def test_an_output_directory_holds_one_run(workspace: Workspace) -> None:
    with workspace.locked():
        assert workspace.busy()
        words = r"another run is at work here \(process \d+\)"
        with pytest.raises(ConfigError, match=words), workspace.locked():
            raise AssertionError("two runs at once")
    assert not workspace.busy()


def test_two_outputs_do_not_push_to_one_place_at_once(workspace: Workspace, tmp_path: Path) -> None:
    other = Workspace(tmp_path / "other", workspace.serving)
    with workspace.locked():
        words = r"^serving\.directory .*/serving: another run is at work here \(process \d+\)"
        with pytest.raises(ConfigError, match=words), other.locked():
            raise AssertionError("two pushes at once")
    with other.locked():
        pass


@pytest.mark.parametrize("executions", [None, 0, 6])
def test_numbers_handed_out_anew_never_overwrite_artifacts(
    workspace: Workspace, executions: int | None
) -> None:
    write_metadata(workspace, 7)
    first = workspace.artifacts()
    (first / "Trainer/model/7").mkdir(parents=True)
    assert workspace.artifacts() == first
    # Deleted, emptied, or put back from an older copy.
    if executions is None:
        workspace.metadata.unlink()
    else:
        write_metadata(workspace, executions)
    assert workspace.artifacts() != first


def test_looking_whether_a_directory_is_busy_changes_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    with workspace.locked():
        before = (tmp_path / ".lock").read_text()
        assert workspace.busy()
        assert (tmp_path / ".lock").read_text() == before


def test_a_file_system_without_locks_is_called_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    with workspace.locked():
        pass
    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(ConfigError, match="cannot be locked: No locks"), workspace.locked():
        raise AssertionError("two runs could be at work here")
    assert not workspace.busy()


def test_references_that_cannot_be_written_are_told_first(workspace: Workspace) -> None:
    references = workspace.serving / ".reference"
    references.parent.mkdir()
    references.touch()  # For root too, whom no mode stops.
    words = rf"^serving\.directory {references}: cannot be written"
    with pytest.raises(ConfigError, match=words), workspace.locked():
        raise AssertionError("the Pusher would fail")


def test_what_a_killed_run_was_writing_is_gone(workspace: Workspace) -> None:
    run = workspace.new_run()
    for name in (".summary.json.part", staged_name("summary.json")):
        (run / name).touch()
    for name in ("..artifacts.part", staged_name(".artifacts")):
        (workspace.root / name).touch()
    with workspace.locked():
        assert not list(workspace.root.rglob("*.part"))


def test_runs_are_listed_whatever_became_of_their_summaries(workspace: Workspace) -> None:
    for name, text in {"1": None, "2": "{", "3": '{"status": "pushed"}', "4": None}.items():
        (workspace.logs / name).mkdir(parents=True)
        if text:
            (workspace.logs / name / "summary.json").write_text(text)
    (workspace.logs / "note.txt").touch()
    console = Console(width=80)
    with console.capture() as capture:
        print_runs(list_runs(workspace), console)
    listed = [line.split()[:2] for line in capture.get().splitlines()[1:]]
    assert listed == [["1", "died"], ["2", "summary"], ["3", "summary"], ["4", "died"]]
