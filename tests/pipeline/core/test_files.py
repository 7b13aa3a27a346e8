"""Writes are atomic, and durable where asked; lost and cut files are noticed."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pipeline.core.files import (
    file_sizes,
    has_files,
    is_staged,
    staged_name,
    sync,
    sync_tree,
    try_lock,
    write_bytes_atomically,
    write_text_atomically,
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The order in which real calls of fsync and replace are made."""
    made: list[str] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(descriptor: int) -> None:
        kind = "directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        made.append(f"fsync {kind}")
        real_fsync(descriptor)

    def replace(*arguments: Any) -> None:
        made.append("replace")
        real_replace(*arguments)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return made


@pytest.mark.parametrize("durable", [True, False])
def test_a_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "file"
    write_text_atomically(path, "old", durable=durable)
    write_text_atomically(str(path), "größe\n", durable=durable)
    assert path.read_bytes() == "größe\n".encode()
    write_bytes_atomically(path, b"\xff\0", durable=durable)
    assert path.read_bytes() == b"\xff\0"
    assert os.listdir(tmp_path) == ["file"]


def test_a_durable_write_syncs_the_file_before_the_rename_and_the_directory_after_it(
    tmp_path: Path, calls: list[str]
) -> None:
    write_text_atomically(tmp_path / "file", "text", durable=True)
    assert calls == ["fsync file", "replace", "fsync directory"]


def test_a_write_that_is_not_durable_only_renames(tmp_path: Path, calls: list[str]) -> None:
    write_text_atomically(tmp_path / "file", "text", durable=False)
    assert calls == ["replace"]


def test_a_bare_name_is_written_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_text_atomically("file", "text", durable=True)
    assert (tmp_path / "file").read_text() == "text"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text_atomically(path, "old", durable=True)
    with pytest.raises(UnicodeEncodeError):
        write_text_atomically(path, "\udc00", durable=True)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_a_failed_rename_leaves_no_staged_file(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    with pytest.raises(IsADirectoryError):
        write_text_atomically(tmp_path / "directory", "text", durable=True)
    assert os.listdir(tmp_path) == ["directory"]


def test_remote_addresses_are_written_through_tensorflow() -> None:
    write_text_atomically("ram://files/a", "old", durable=True)
    write_text_atomically("ram://files/a", "new", durable=True)
    assert tf.io.gfile.GFile("ram://files/a").read() == "new"
    assert tf.io.gfile.listdir("ram://files") == ["a"]


def test_staged_names_are_hidden_recognised_and_never_given_twice() -> None:
    names = {staged_name("served.json") for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith(".served.json.") and is_staged(name) for name in names)
    assert not any(map(is_staged, ("served.json", "data.part", ".lock")))


def test_a_tree_is_synced_whole(tmp_path: Path, calls: list[str]) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").touch()
    sync_tree(str(tmp_path))
    assert sorted(calls) == ["fsync directory", "fsync directory", "fsync file"]


def test_syncing_an_address_does_nothing_and_a_missing_file_is_an_error(tmp_path: Path) -> None:
    sync("gs://bucket/file")
    with pytest.raises(FileNotFoundError):
        sync(tmp_path / "missing")


def test_lost_and_cut_files_are_noticed_and_new_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a").write_bytes(b"123")
    sizes = file_sizes(str(tmp_path))
    assert sizes == {"below/a": 3}
    (tmp_path / "b").touch()
    assert has_files(str(tmp_path), sizes)
    (tmp_path / "below" / "a").write_bytes(b"12")
    assert not has_files(str(tmp_path), sizes)
    assert not has_files(str(tmp_path / "absent"), {})


def test_a_lock_has_one_holder_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("a") as first, path.open("a") as second:
        assert try_lock(first.fileno())
        assert not try_lock(second.fileno())
        first.close()
        assert try_lock(second.fileno())
