"""The fingerprint changes with the content of the files only; patterns match the right files."""

import os
from pathlib import Path

import pytest

from components.tables import digests
from components.tables.fingerprint import compute_fingerprint, resolve_paths
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError


def test_touching_a_file_keeps_the_fingerprint(write):
    path = write("a.csv", "x,y\n1,2\n")
    before = compute_fingerprint([path])
    os.utime(path, (0, 0))
    assert compute_fingerprint([path]) == before


def test_changed_bytes_of_equal_size_and_time_change_the_fingerprint(write):
    path = write("a.csv", "x,y\n1,2\n")
    stat = path.stat()
    before = compute_fingerprint([path])
    path.write_text("x,y\n1,3\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert compute_fingerprint([path]) != before


def test_only_names_below_the_common_folder_change_the_fingerprint(write):
    first = [write("one/a.csv", "1"), write("one/b.csv", "2")]
    moved = [write("two/a.csv", "1"), write("two/b.csv", "2")]
    renamed = [write("three/a.csv", "1"), write("three/c.csv", "2")]
    assert compute_fingerprint(first) == compute_fingerprint(moved)
    assert compute_fingerprint(first) != compute_fingerprint(renamed)


def test_the_order_of_the_paths_does_not_change_the_fingerprint(write):
    paths = [write("a.csv", "1"), write("b.csv", "2")]
    assert compute_fingerprint(paths) == compute_fingerprint(paths[::-1])


def test_moving_a_byte_between_files_changes_the_fingerprint(write):
    first = [write("one/a.csv", "12"), write("one/b.csv", "3")]
    second = [write("two/a.csv", "1"), write("two/b.csv", "23")]
    assert compute_fingerprint(first) != compute_fingerprint(second)


def test_the_last_byte_of_a_long_file_changes_the_fingerprint(write):
    long = b"x" * (3 << 20)
    first = compute_fingerprint([write("a.csv", long + b"1")])
    assert compute_fingerprint([write("a.csv", long + b"2")]) != first


def test_changing_or_swapping_pieces_of_a_file_changes_the_fingerprint(write, monkeypatch):
    monkeypatch.setattr(digests, "_PIECE_BYTES", 4)
    contents = ["aaaabbbbcc", "bbbbaaaacc", "aaaabbbbcd", "aaaabbbbc", "aaaabbbb", "Xaaabbbbcc", ""]
    prints = [compute_fingerprint([write(f"{i}/a.csv", c)]) for i, c in enumerate(contents)]
    assert len(set(prints)) == len(contents)


def test_a_file_that_vanished_is_refused(write):
    path = write("a.csv", "1")
    path.unlink()
    with pytest.raises(ConfigError, match=r"data\.path: .*a\.csv cannot be read"):
        compute_fingerprint([path])


def test_digests_of_another_process_give_the_same_fingerprint(write):
    paths = [write("b/2.csv", "22"), write("a/1.csv", "1")]
    given = dict(zip(paths, digests.digest_files(paths), strict=True))
    assert compute_fingerprint(paths, given) == compute_fingerprint(paths)


def names(tmp_path: Path, *patterns: str, span: int | None = None) -> tuple[list[str], int]:
    data = DataConfig(path=tuple(str(tmp_path / pattern) for pattern in patterns))
    paths, found_span = resolve_paths(data, span)
    return [str(path.relative_to(tmp_path)) for path in paths], found_span


def test_files_of_all_patterns_are_listed_once_and_sorted(tmp_path, write):
    for name in ("b.csv", "a.csv", "a.txt"):
        write(name, "x")
    assert names(tmp_path, "*.csv", "a.*") == (["a.csv", "a.txt", "b.csv"], 0)


def test_a_double_star_matches_nested_folders(tmp_path, write):
    for name in ("2025/a.csv", "2026/01/b.csv"):
        write(name, "x")
    assert names(tmp_path, "**/*.csv") == (["2025/a.csv", "2026/01/b.csv"], 0)


def test_a_file_name_may_contain_wildcards(tmp_path, write):
    write("trips[1].csv", "x")
    assert names(tmp_path, "trips[1].csv") == (["trips[1].csv"], 0)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("span-{SPAN}.csv", (["span-0010.csv"], 10)),
        ("span-{SPAN:4}.csv", (["span-0010.csv"], 10)),
        ("span-{SPAN:1}.csv", (["span-9.csv"], 9)),
        ("day{SPAN}/*.csv", (["day12/a.csv", "day12/b.csv"], 12)),
        ("d?y{SPAN}/[ab].csv", (["day12/a.csv", "day12/b.csv"], 12)),
    ],
)
def test_the_newest_span_is_chosen(tmp_path, write, pattern, expected):
    files = "span-9.csv span-0010.csv span-new.csv day3/a.csv day12/a.csv day12/b.csv"
    for name in files.split():
        write(name, "x")
    assert names(tmp_path, pattern) == expected


def test_the_requested_span_is_chosen(tmp_path, write):
    write("s1.csv", "x")
    write("s2.csv", "x")
    assert names(tmp_path, "s{SPAN}.csv", span=1) == (["s1.csv"], 1)


def test_a_pattern_without_span_adds_all_its_files(tmp_path, write):
    for name in ("s1.csv", "s2.csv", "old.csv"):
        write(name, "x")
    assert names(tmp_path, "s{SPAN}.csv", "old.csv") == (["old.csv", "s2.csv"], 2)


def test_all_patterns_must_have_the_newest_span(tmp_path, write):
    for name in ("a1.csv", "a2.csv", "b1.csv"):
        write(name, "x")
    with pytest.raises(ConfigError, match=r"data\.path: no file of span 2 matches '.*b\{SPAN\}"):
        names(tmp_path, "a{SPAN}.csv", "b{SPAN}.csv")


@pytest.mark.parametrize("pattern", ["no.csv", "no*.csv", "no{SPAN}.csv"])
def test_a_pattern_that_matches_no_file_is_refused(tmp_path, pattern):
    with pytest.raises(ConfigError, match=r"data\.path: no file matches '.*no"):
        names(tmp_path, pattern)


def test_a_directory_is_refused_with_a_pattern_as_hint(tmp_path):
    with pytest.raises(ConfigError, match="is a directory") as caught:
        resolve_paths(DataConfig(path=(str(tmp_path),)))
    assert "*.csv" in caught.value.hint


def test_two_spans_in_one_pattern_are_refused(tmp_path, write):
    write("1/1.csv", "x")
    with pytest.raises(ConfigError, match="more than once"):
        names(tmp_path, "{SPAN}/{SPAN}.csv")
