"""The copy of a serving directory on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

from components.served_model.store.local_copy import LocalCopy, Seen, list_reserved
from components.served_model.store.snapshot import Snapshot
from pipeline.core.stores.entry import Entry

ADDRESS = "s3://bucket/models/taxi"
BASE = Snapshot(
    {"version": "17"},
    {"16/model": Entry(3, "abc"), "17/model": Entry(3, "abc")},
    {".reference/17/served.json": "{}", ".push_history.json": "[]"},
    "token",
)


def test_a_directory_is_a_copy_of_one_address(tmp_path: Path) -> None:
    assert LocalCopy.find(str(tmp_path)) is None
    assert LocalCopy.find(str(tmp_path / "absent")) is None
    copy = LocalCopy.make(str(tmp_path), ADDRESS)
    assert (copy.directory, copy.address) == (str(tmp_path), ADDRESS)
    copy.write_seen(Seen(BASE, {"e_tag": "1"}))
    found = LocalCopy.make(str(tmp_path), ADDRESS)
    assert found.read_seen() == Seen(BASE, {"e_tag": "1"})
    assert LocalCopy.make(str(tmp_path), f"{ADDRESS}2").read_seen() is None


def test_nothing_is_known_of_a_copy_that_a_killed_process_changed(tmp_path: Path) -> None:
    copy = LocalCopy.make(str(tmp_path), ADDRESS)
    copy.write_seen(Seen(Snapshot(), {}))
    copy.mark_dirty()
    assert copy.read_seen() is None
    assert copy.read_seen_in_use() == Seen(Snapshot(), {})
    copy.write_seen(Seen(Snapshot(), {}))
    assert copy.read_seen() == Seen(Snapshot(), {})


def test_only_whole_units_come_and_go(tmp_path: Path) -> None:
    copy = LocalCopy.make(str(tmp_path), ADDRESS)
    copy.begin_reset(BASE)
    copy.end_reset(BASE)
    assert copy.scan(BASE).has_same_content(BASE)
    (tmp_path / "16").rmdir()
    (tmp_path / "18").mkdir()
    (tmp_path / "18/model").write_text("new")
    (tmp_path / ".staged-1").mkdir()
    (tmp_path / ".staged-1/model").write_text("half")
    changed = copy.scan(BASE)
    assert sorted(changed.files) == ["17/model", "18/model"]
    assert changed.files["18/model"].size == 3
    copy.begin_reset(BASE)
    copy.end_reset(BASE)
    assert copy.scan(BASE).has_same_content(BASE)
    assert not (tmp_path / "18").exists()
    assert not (tmp_path / ".staged-1").exists()


def test_files_of_another_size_must_be_downloaded(tmp_path: Path) -> None:
    copy = LocalCopy.make(str(tmp_path), ADDRESS)
    copy.begin_reset(BASE)
    (tmp_path / "17/model").write_text("abc")
    assert [*copy.list_missing("17", BASE)] == []
    assert [*copy.list_missing("16", BASE)] == ["16/model"]


def test_what_a_killed_process_added_is_discarded(tmp_path: Path) -> None:
    copy = LocalCopy.make(str(tmp_path), ADDRESS)
    copy.begin_reset(BASE)
    copy.end_reset(BASE)
    copy.write_seen(Seen(BASE, {}))
    (tmp_path / "18").mkdir()
    (tmp_path / "stray").touch()
    shutil.rmtree(tmp_path / ".reference")
    copy.discard_changes()
    assert not (tmp_path / "stray").exists()
    assert [(tmp_path / number).exists() for number in ("16", "17", "18")] == [True, True, False]


def test_numbers_of_other_machines_are_taken(tmp_path: Path) -> None:
    assert list_reserved(str(tmp_path)) == []
    LocalCopy.make(str(tmp_path), ADDRESS).write_reserved(["17", "18"])
    assert list_reserved(str(tmp_path)) == ["17", "18"]


def test_a_file_in_place_of_a_directory_is_no_copy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert LocalCopy.find(str(tmp_path / "file")) is None
