"""Fixtures: pushed tiny models, and a server that the tests of `http/` share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pushed_models import point_to, push
from running_server import RunningServer


@pytest.fixture(scope="session")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A serving directory with the versions 1 (bias 0), which is served, and 2 (bias 0.3)."""
    serving = tmp_path_factory.mktemp("pushed") / "tiny" / "serving"
    push(serving, "2", 0.3)
    push(serving, "1", 0.0)
    return serving


@pytest.fixture
def serving(pushed: Path, tmp_path: Path) -> Path:
    """A copy of `pushed` that a test may change."""
    copied = tmp_path / "tiny" / "serving"
    shutil.copytree(pushed, copied)
    point_to(copied, "1")
    return copied


@pytest.fixture(scope="session")
def server(pushed: Path) -> Iterator[RunningServer]:
    with RunningServer("--model", pushed) as running:
        yield running
