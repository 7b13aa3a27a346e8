"""A table is divided into parts by the names and sizes of its files alone."""

from pathlib import Path

import pytest

from components.columnar_example_gen import parts
from components.columnar_example_gen.parts import plan_parts
from pipeline.core.errors import ConfigError


def plan(tmp_path: Path, *sizes: int) -> list[list[int]]:
    """Returns the numbers of the files in each part."""
    paths = [tmp_path / f"{number:04}.csv" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        with path.open("wb") as file:
            file.truncate(size)
    planned = plan_parts(paths)
    assert [part.index for part in planned] == list(range(len(planned)))
    return [[int(path.stem) for path in part.paths] for part in planned]


MB = 1 << 20


def test_a_file_of_a_megabyte_is_a_part(tmp_path):
    assert plan(tmp_path, MB, 2 * MB, MB) == [[0], [1], [2]]


def test_small_files_in_a_row_share_a_part_until_it_is_large_enough(tmp_path):
    assert plan(tmp_path, MB // 2, MB // 2, 0, 5 * MB, 1) == [[0, 1], [2, 3], [4]]


def test_one_file_is_one_part_also_if_it_is_empty(tmp_path):
    assert plan(tmp_path, 0) == [[0]]


def test_many_tiny_files_make_few_parts(tmp_path):
    assert len(plan(tmp_path, *[10_000] * 1000)) == 10


def test_a_table_of_many_small_files_has_a_bounded_number_of_parts(tmp_path):
    # Sparse files: they take no room on the disk.
    assert len(plan(tmp_path, *[4 * MB] * 1000)) == 63


def test_files_of_a_large_table_are_parts_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_LARGEST_SHARED", 2 * MB)
    assert len(plan(tmp_path, *[2 * MB] * 100)) == 100


def test_a_file_that_vanished_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"data\.path: .*gone\.csv cannot be read"):
        plan_parts([tmp_path / "gone.csv"])
