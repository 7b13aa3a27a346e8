"""A table is divided into parts by its files alone."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.columnar_example_gen import parts
from components.columnar_example_gen.parts import find_divided_files, plan_parts
from components.tables.sources.row_groups import RowGroups, TableSource
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError


def plan(tmp_path: Path, *sizes: int) -> list[list[int]]:
    """Returns the numbers of the files in each part."""
    paths = [tmp_path / f"{number:04}.csv" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        with path.open("wb") as file:
            file.truncate(size)
    planned = plan_parts(paths, DataConfig(path=("*.csv",)))
    assert [part.index for part in planned] == list(range(len(planned)))
    return [[int(path.stem) for path in part.whole_files] for part in planned]


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
        plan_parts([tmp_path / "gone.csv"], DataConfig(path=("*.csv",)))


def plan_table(tmp_path: Path, groups: int) -> list[TableSource]:
    """Returns the only sources of the parts of a Parquet file with so many row groups."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(400)}), path, row_group_size=400 // groups)
    planned = plan_parts([path, path], DataConfig(source="parquet", path=("*.parquet",)))
    sources = [source for part in planned for source in part.sources]
    assert len(sources) == len(planned)
    assert sources[: len(sources) // 2] == sources[len(sources) // 2 :]
    assert find_divided_files(planned) == ([path] if groups > 1 else [])
    return sources[: len(sources) // 2]


def test_a_large_parquet_file_has_parts_of_whole_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_RANGE_BYTES", 1000)
    sources = plan_table(tmp_path, 16)
    assert len(sources) > 3
    starts = [source.first for source in sources if isinstance(source, RowGroups)]
    ends = [source.after for source in sources if isinstance(source, RowGroups)]
    assert [*starts, 16] == [0, *ends]
    # As equal as whole row groups can be: only the last one may be small.
    assert len({end - start for start, end in zip(starts[:-1], ends[:-1], strict=True)}) == 1


def test_a_row_group_is_never_divided(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_RANGE_BYTES", 1000)
    assert plan_table(tmp_path, 1) == [tmp_path / "t.parquet"]


def test_a_large_file_that_is_no_parquet_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_RANGE_BYTES", 10)
    path = tmp_path / "t.parquet"
    path.write_bytes(b"n,y" * 10)
    with pytest.raises(DataError, match=r"t\.parquet: not a Parquet file"):
        plan_parts([path], DataConfig(source="parquet", path=(str(path),)))
