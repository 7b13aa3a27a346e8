"""An artifact that lost a file, or a part of one, is not whole."""

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
def test_damage_is_seen(artifact: Path, damage: Callable[[Path], None]) -> None:
    sealed = seal(str(artifact))
    assert is_whole(str(artifact), sealed)
    damage(artifact)
    assert not is_whole(str(artifact), sealed)


def test_what_came_later_does_not_matter(artifact: Path) -> None:
    sealed = seal(str(artifact))
    (artifact / "notes.txt").write_text("mine")
    assert is_whole(str(artifact), sealed)


def test_without_a_seal_the_directory_decides(artifact: Path, tmp_path: Path) -> None:
    assert is_whole(str(artifact), None)
    assert not is_whole(str(tmp_path / "absent"), None)
