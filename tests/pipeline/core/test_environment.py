"""What the environment tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.core.environment import caches_directory


def test_a_variable_names_the_directory_of_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert caches_directory() == tmp_path / "caches"


def test_without_the_variable_it_is_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caches_directory() == tmp_path / ".cache"
