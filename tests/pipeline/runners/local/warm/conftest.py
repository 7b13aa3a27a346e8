"""A directory of caches for the warm processes of a test."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm_runs import find, replace_imports


@pytest.fixture
def caches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty directory whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory() as directory:
        monkeypatch.setenv("XDG_CACHE_HOME", directory)
        yield Path(directory)


@pytest.fixture
def cold(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    replace_imports(monkeypatch, "lambda: False")
    # As `start_dag_process` sets them.
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "1")
    yield
    if found := find():
        os.kill(found.pid, signal.SIGTERM)


@pytest.fixture
def is_warm(cold: None, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_imports(monkeypatch, "lambda: True")
