"""An artifact is whole unless it has lost a file or a part of a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.runners.workspace.seal import is_whole, seal


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    directory = tmp_path / "artifact"
    (directory / "Split-train").mkdir(parents=True)
    (directory / "Split-train" / "data").write_text("rows")
    (directory / "empty").touch()
    return directory


def lose(artifact: Path) -> None:
    (artifact / "Split-train" / "data").unlink()


def cut(artifact: Path) -> None:
    (artifact / "Split-train" / "data").write_text("ro")


def replace_by_directory(artifact: Path) -> None:
    (artifact / "empty").unlink()
    (artifact / "empty").mkdir()


@pytest.mark.parametrize("damage", [lose, cut, replace_by_directory])
def test_a_damaged_artifact_is_not_whole(artifact: Path, damage: Callable[[Path], None]) -> None:
    sealed = seal(str(artifact))
    assert is_whole(str(artifact), sealed)
    damage(artifact)
    assert not is_whole(str(artifact), sealed)


def test_a_new_file_is_no_damage(artifact: Path) -> None:
    sealed = seal(str(artifact))
    (artifact / "notes.txt").write_text("mine")
    assert is_whole(str(artifact), sealed)


def test_without_a_seal_an_existing_directory_is_whole(artifact: Path, tmp_path: Path) -> None:
    assert is_whole(str(artifact), None)
    assert not is_whole(str(tmp_path / "absent"), None)
