"""A module whose file is no longer that which was imported is seen."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from pipeline.runners.local.warm.loaded_files import LoadedFiles


class _Lazy(ModuleType):
    def __getattr__(self, name: str) -> None:
        raise AssertionError("looking at a module must not load it")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the only module that this process has, beside some without files."""
    path = tmp_path / "module.py"
    path.write_text("x = 1")
    module, archived = ModuleType("module"), ModuleType("archived")
    module.__file__, archived.__file__ = str(path), str(tmp_path / "archive.zip/module.py")
    modules = {"module": module, "lazy": _Lazy("lazy"), "sys": sys, "archived": archived}
    monkeypatch.setattr("sys.modules", {**modules, "object": object()})
    time.sleep(0.02)  # The clock of file systems ticks every few milliseconds.
    return path


def test_a_changed_a_replaced_and_a_removed_file_are_seen(module: Path) -> None:
    other = module.with_name("other.py")
    other.write_text("x = 2")
    os.utime(other, (1, 1))
    time.sleep(0.02)
    changes = [
        lambda: module.write_text("x = 2"),
        lambda: os.utime(module, (1, 1)),
        lambda: other.replace(module),
        lambda: module.unlink(),
    ]
    for change in changes:
        loaded = LoadedFiles(time.time_ns())
        assert loaded.are_unchanged()
        change()
        assert not loaded.are_unchanged()
        time.sleep(0.02)


def test_a_file_that_changed_while_it_was_imported_counts_as_changed(module: Path) -> None:
    started = time.time_ns()
    time.sleep(0.02)
    module.write_text("x = 2")
    assert not LoadedFiles(started).are_unchanged()
