"""What a machine knows of an output on a store."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pipeline.core.stores.entry import Entry
from pipeline.runners.workspace.on_store.manifest import Manifest
from pipeline.runners.workspace.on_store.working_copy import Base, WorkingCopy


def test_an_address_has_one_working_copy(caches: Path) -> None:
    copy = WorkingCopy.open("s3://bucket/runs/shop")
    assert copy.root.is_relative_to(caches)
    assert WorkingCopy.open("s3://bucket/runs/shop") == copy
    assert WorkingCopy.find(copy.root) == copy
    assert WorkingCopy.open("s3://bucket/runs/taxi").root != copy.root


def test_a_copy_of_a_working_copy_is_none(tmp_path: Path) -> None:
    copy = WorkingCopy.open("s3://bucket/runs/shop")
    shutil.copytree(copy.root, tmp_path / "moved")
    assert WorkingCopy.find(tmp_path / "moved") is None


def test_staged_files_have_names_of_their_own_and_old_ones_are_removed() -> None:
    copy = WorkingCopy.open("s3://bucket/runs/shop")
    old, new = copy.staging_path("a"), copy.staging_path("a")
    assert old != new
    for path in (old, new):
        path.touch()
    os.utime(old, (0, 0))
    copy.sweep_staged()
    assert not old.exists()
    assert new.exists()


def test_another_directory_is_none(tmp_path: Path) -> None:
    assert WorkingCopy.find(tmp_path) is None
    assert WorkingCopy.find(tmp_path / "absent") is None


def test_a_working_copy_that_was_being_made_is_made_anew() -> None:
    copy = WorkingCopy.open("s3://bucket/runs/shop")
    assert copy.read_base() is None
    base = Base(Manifest({"a": Entry(1, "x")}).with_new_token(), {"e_tag": "7"})
    copy.write_base(base)
    assert copy.read_base() == base
    copy.mark_dirty()
    assert copy.read_base() is None
    assert copy.read_base_in_use() == base
    copy.write_base(base)
    assert copy.read_base() == base


def test_a_cut_file_is_lacking(tmp_path: Path) -> None:
    copy = WorkingCopy(tmp_path, "s3://bucket/x")
    (tmp_path / "a").write_bytes(b"12")
    assert not copy.lacks("a", Entry(2, "x"))
    assert copy.lacks("a", Entry(3, "x"))
    assert copy.lacks("b", Entry(3, "x"))
