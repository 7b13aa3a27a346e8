"""A process hashes each file once, and again after any change."""

import os
from pathlib import Path

import pytest

from components.tables import digests
from components.tables.digests import digest_files, remembers
from pipeline.core.errors import ConfigError


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Lists the files whose pieces are hashed; every file counts as settled."""
    paths: list[Path] = []
    real = digests._digest_piece
    monkeypatch.setattr(digests, "_SETTLED_AFTER_NS", -(1 << 62))
    monkeypatch.setattr(digests, "_digest_piece", lambda p, b: paths.append(p) or real(p, b))
    return paths


def test_an_unchanged_file_is_hashed_once(write, hashed):
    path = write("a.csv", "1")
    assert not remembers([path])
    first = digest_files([path])
    assert remembers([path])
    assert digest_files([path]) == first
    assert hashed == [path]


def test_only_changed_files_are_hashed_again(write, hashed):
    paths = [write(f"{n}.csv", str(n)) for n in range(3)]
    before = digest_files(paths)
    write("1.csv", "9")
    after = digest_files(paths)
    assert hashed == [*paths, paths[1]]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True]


def test_changed_bytes_of_equal_size_and_restored_time_are_seen(write, hashed):
    path = write("a.csv", "1")
    before, stat = digest_files([path]), path.stat()
    # Clocks of file systems tick every few milliseconds.
    while path.stat().st_ctime_ns == stat.st_ctime_ns:
        path.write_text("2")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert not remembers([path])
    assert digest_files([path]) != before


def test_another_file_of_the_same_name_is_hashed(write, hashed, tmp_path):
    path = write("a.csv", "1")
    before = digest_files([path])
    write("b.csv", "2").replace(path)
    assert digest_files([path]) != before


def test_a_file_that_changed_a_moment_ago_is_hashed_each_time(write):
    path = write("a.csv", "1")
    digest_files([path])
    # A second change within the same tick of the clock would not be seen otherwise.
    assert not remembers([path])


def test_a_file_that_changes_while_it_is_hashed_is_not_remembered(write, monkeypatch):
    path = write("a.csv", "1")
    real = digests._digest_piece

    def change(path: Path, begin: int) -> bytes:
        digest = real(path, begin)
        path.write_text("changed")
        return digest

    monkeypatch.setattr(digests, "_SETTLED_AFTER_NS", -(1 << 62))
    monkeypatch.setattr(digests, "_digest_piece", change)
    digest_files([path])
    assert not remembers([path])


def test_a_file_that_vanished_is_refused(tmp_path):
    for ask in (digest_files, remembers):
        with pytest.raises(ConfigError, match=r"data\.path: .*gone\.csv cannot be read"):
            ask([tmp_path / "gone.csv"])
