"""An output directory is used by one run, and keeps the artifacts of two histories apart."""

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.core.files import staged_name
from pipeline.runners.workspace.places import Workspace, parse_run_name

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


def test_two_runs_cannot_use_one_output_directory_at_once(workspace: Workspace) -> None:
    with workspace.lock():
        assert workspace.is_locked()
        words = r"another run is at work here \(process \d+\)"
        with pytest.raises(ConfigError, match=words), workspace.lock():
            raise AssertionError("two runs at once")
    assert not workspace.is_locked()


def test_two_runs_cannot_use_one_serving_directory_at_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = Workspace(tmp_path / "other", workspace.serving)
    with workspace.lock():
        words = r"^serving\.directory .*/serving: another run is at work here \(process \d+\)"
        with pytest.raises(ConfigError, match=words), other.lock():
            raise AssertionError("two pushes at once")
    with other.lock():
        pass


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "is the output directory of runs"),
        ("serving", "is the serving directory"),
        ("..", "holds the output directory of runs"),
        ("serving/1", "lies in the serving directory"),
        ("logs/x", "lies in the output directory of runs"),
    ],
)
def test_predictions_among_the_files_of_runs_are_refused(
    workspace: Workspace, output: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^prediction\.output: .* {words}") as error:
        workspace.refuse_predictions(str(workspace.root / output))
    assert str(workspace.root / "predictions") in error.value.hint
    workspace.refuse_predictions(str(workspace.root / "predictions"))
    workspace.refuse_predictions(str(workspace.root.parent / "predictions"))


@pytest.mark.parametrize("executions", [None, 0, 6])
def test_ids_that_metadata_gives_again_get_a_new_directory(
    workspace: Workspace, executions: int | None
) -> None:
    write_metadata(workspace, 7)
    first = workspace.artifacts_directory()
    (first / "Trainer/model/7").mkdir(parents=True)
    assert workspace.artifacts_directory() == first
    # The file was deleted, emptied, or replaced by an older copy.
    if executions is None:
        workspace.metadata.unlink()
    else:
        write_metadata(workspace, executions)
    assert workspace.artifacts_directory() != first


def test_references_that_cannot_be_written_are_refused_before_the_run(workspace: Workspace) -> None:
    references = workspace.serving / ".reference"
    references.parent.mkdir()
    references.touch()  # A file stops root too, unlike a mode.
    words = rf"^serving\.directory {references}: cannot be written"
    with pytest.raises(ConfigError, match=words), workspace.lock():
        raise AssertionError("the Pusher would fail")


def test_unfinished_files_of_a_killed_run_are_removed(workspace: Workspace) -> None:
    run = workspace.make_run_directory()
    for name in (".summary.json.part", staged_name("summary.json")):
        (run / name).touch()
    for name in ("..artifacts.part", staged_name(".artifacts")):
        (workspace.root / name).touch()
    with workspace.lock():
        assert not list(workspace.root.rglob("*.part"))


def test_an_output_directory_with_pattern_characters_is_refused(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "a[1]*", tmp_path / "serving")
    words = r"contains \* \[ \], which Beam reads as a pattern"
    with pytest.raises(ConfigError, match=words), workspace.lock():
        raise AssertionError("Beam would read other files")


def test_run_directories_are_listed_by_age(workspace: Workspace) -> None:
    assert workspace.run_directories() == []
    first, second = (workspace.make_run_directory() for _ in range(2))
    (workspace.logs / ".removed-20250101-000000-000000").mkdir()
    (workspace.logs / "note.txt").touch()
    assert workspace.run_directories() == [first, second]
    started = parse_run_name(first.name)
    assert started is not None
    assert abs((datetime.now() - started).total_seconds()) < 60
    assert parse_run_name("renamed by hand") is None


def test_a_run_removes_the_logs_that_a_killed_gc_has_left(workspace: Workspace) -> None:
    run = workspace.make_run_directory()
    left = workspace.logs / ".removed-20250101-000000-000000"
    (left / "deep").mkdir(parents=True)
    with workspace.lock():
        assert list(workspace.logs.iterdir()) == [run]


def test_an_artifact_is_found_in_a_moved_workspace(workspace: Workspace) -> None:
    ends = "artifacts/20260301-000000-000000/Trainer/model/7"
    assert workspace.find_artifact(f"/elsewhere/{ends}") == workspace.root / ends
    assert workspace.find_artifact("/elsewhere/model/7") is None
    assert workspace.find_artifact(f"/elsewhere/{ends}/0") is None
