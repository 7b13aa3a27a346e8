"""The fingerprint tells new content from old, and nothing else."""

import os

import pytest

from components.tables import fingerprint
from components.tables.fingerprint import compute_fingerprint
from pipeline.core.errors import ConfigError


def test_touching_changes_nothing(write):
    path = write("a.csv", "x,y\n1,2\n")
    before = compute_fingerprint([path])
    os.utime(path, (0, 0))
    assert compute_fingerprint([path]) == before


def test_content_counts_even_with_equal_size_and_time(write):
    path = write("a.csv", "x,y\n1,2\n")
    stat = path.stat()
    before = compute_fingerprint([path])
    path.write_text("x,y\n1,3\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert compute_fingerprint([path]) != before


def test_names_count_below_the_common_folder(write):
    first = [write("one/a.csv", "1"), write("one/b.csv", "2")]
    moved = [write("two/a.csv", "1"), write("two/b.csv", "2")]
    renamed = [write("three/a.csv", "1"), write("three/c.csv", "2")]
    assert compute_fingerprint(first) == compute_fingerprint(moved)
    assert compute_fingerprint(first) != compute_fingerprint(renamed)


def test_the_order_of_the_paths_does_not_count(write):
    paths = [write("a.csv", "1"), write("b.csv", "2")]
    assert compute_fingerprint(paths) == compute_fingerprint(paths[::-1])


def test_where_one_file_ends_counts(write):
    first = [write("one/a.csv", "12"), write("one/b.csv", "3")]
    second = [write("two/a.csv", "1"), write("two/b.csv", "23")]
    assert compute_fingerprint(first) != compute_fingerprint(second)


def test_files_longer_than_a_chunk_are_read_to_the_end(write):
    long = b"x" * (3 << 20)
    first = compute_fingerprint([write("a.csv", long + b"1")])
    assert compute_fingerprint([write("a.csv", long + b"2")]) != first


def test_every_piece_of_a_file_counts_at_its_place(write, monkeypatch):
    monkeypatch.setattr(fingerprint, "_PIECE_BYTES", 4)
    contents = ["aaaabbbbcc", "bbbbaaaacc", "aaaabbbbcd", "aaaabbbbc", "aaaabbbb", "Xaaabbbbcc", ""]
    prints = [compute_fingerprint([write(f"{i}/a.csv", c)]) for i, c in enumerate(contents)]
    assert len(set(prints)) == len(contents)


def test_a_file_that_vanished_is_an_error(write):
    path = write("a.csv", "1")
    path.unlink()
    with pytest.raises(ConfigError, match=r"data\.path: .*a\.csv cannot be read"):
        compute_fingerprint([path])
