"""Which files data.path stands for."""

from pathlib import Path

import pytest

from components.tables.fingerprint import resolve_paths
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError


def names(tmp_path: Path, *patterns: str, span: int | None = None) -> tuple[list[str], int]:
    data = DataConfig(path=tuple(str(tmp_path / pattern) for pattern in patterns))
    paths, found_span = resolve_paths(data, span)
    return [str(path.relative_to(tmp_path)) for path in paths], found_span


def test_files_of_all_patterns_are_read_once_in_order(tmp_path, write):
    for name in ("b.csv", "a.csv", "a.txt"):
        write(name, "x")
    assert names(tmp_path, "*.csv", "a.*") == (["a.csv", "a.txt", "b.csv"], 0)


def test_a_double_star_reaches_into_folders(tmp_path, write):
    for name in ("2025/a.csv", "2026/01/b.csv"):
        write(name, "x")
    assert names(tmp_path, "**/*.csv") == (["2025/a.csv", "2026/01/b.csv"], 0)


def test_a_name_may_hold_wildcards_itself(tmp_path, write):
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
def test_the_newest_span_is_read(tmp_path, write, pattern, expected):
    files = "span-9.csv span-0010.csv span-new.csv day3/a.csv day12/a.csv day12/b.csv"
    for name in files.split():
        write(name, "x")
    assert names(tmp_path, pattern) == expected


def test_a_span_can_be_named(tmp_path, write):
    write("s1.csv", "x")
    write("s2.csv", "x")
    assert names(tmp_path, "s{SPAN}.csv", span=1) == (["s1.csv"], 1)


def test_patterns_without_a_span_are_read_whole(tmp_path, write):
    for name in ("s1.csv", "s2.csv", "old.csv"):
        write(name, "x")
    assert names(tmp_path, "s{SPAN}.csv", "old.csv") == (["old.csv", "s2.csv"], 2)


def test_all_patterns_must_have_the_newest_span(tmp_path, write):
    for name in ("a1.csv", "a2.csv", "b1.csv"):
        write(name, "x")
    with pytest.raises(ConfigError, match=r"data\.path: no file of span 2 matches '.*b\{SPAN\}"):
        names(tmp_path, "a{SPAN}.csv", "b{SPAN}.csv")


@pytest.mark.parametrize("pattern", ["no.csv", "no*.csv", "no{SPAN}.csv"])
def test_a_pattern_without_files_is_an_error(tmp_path, pattern):
    with pytest.raises(ConfigError, match=r"data\.path: no file matches '.*no"):
        names(tmp_path, pattern)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(ConfigError, match="is a directory") as caught:
        resolve_paths(DataConfig(path=(str(tmp_path),)))
    assert "*.csv" in caught.value.hint


def test_two_spans_in_one_pattern_are_refused(tmp_path, write):
    write("1/1.csv", "x")
    with pytest.raises(ConfigError, match="more than once"):
        names(tmp_path, "{SPAN}/{SPAN}.csv")
