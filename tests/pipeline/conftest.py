"""The workspace of an earlier version: a push, and a run that was interrupted in its Trainer."""

import shutil
import tarfile
from pathlib import Path

import pytest
from archives import ARCHIVES, unpack

from pipeline.runners.workspace.places import Workspace


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(ARCHIVES[0], tmp_path_factory.mktemp("earlier")).directory / "out"


@pytest.fixture
def shop(unpacked: Path) -> Workspace:
    """The workspace at a place that its metadata knows; tests that change it take `own_shop`."""
    return Workspace(unpacked, unpacked / "serving")


@pytest.fixture
def own_shop(tmp_path: Path) -> Workspace:
    root = unpack(ARCHIVES[0], tmp_path).directory / "out"
    return Workspace(root, root / "serving")


@pytest.fixture
def moved_shop(tmp_path: Path) -> Workspace:
    """The workspace as the archive holds it: its metadata names another directory."""
    with tarfile.open(ARCHIVES[0]) as file:
        file.extractall(tmp_path)
    root = Path(shutil.move(tmp_path / "shop" / "out", tmp_path / "out"))
    return Workspace(root, root / "serving")
