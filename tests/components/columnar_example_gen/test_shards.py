"""Shards have the form that TFX's columnar readers require."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.columnar_example_gen import shards
from components.columnar_example_gen.shards import (
    UNFINISHED,
    ShardWriter,
    prepare_directory,
    publish_shards,
)

ROWS = pa.RecordBatch.from_pydict(
    {
        "f": pa.array([0.0, None, 1.5], pa.float32()),
        "i": pa.array([None, 0, 7], pa.int64()),
        "s": pa.array(["", "x", None], pa.string()),
    }
)


def write(directory: Path, *batches: pa.RecordBatch, is_whole: bool = True) -> list[str]:
    prepare_directory(directory)
    with ThreadPoolExecutor(1) as pool:
        writer = ShardWriter(directory, pool)
        for batch in batches:
            writer.add(batch)
        names, rows = writer.close(is_whole=is_whole)
    assert rows == sum(batch.num_rows for batch in batches)
    publish_shards(directory, names)
    return sorted(path.name for path in directory.iterdir())


def test_cells_are_lists_of_one_value_and_missing_cells_are_null(tmp_path):
    assert write(tmp_path, ROWS) == ["data-00000-of-00001.parquet"]
    table = pq.read_table(tmp_path / "data-00000-of-00001.parquet")
    assert table.schema.types == [
        pa.large_list(pa.float32()),
        pa.large_list(pa.int64()),
        pa.large_list(pa.large_binary()),
    ]
    assert table.to_pydict() == {
        "f": [[0.0], None, [1.5]],
        "i": [None, [0], [7]],
        "s": [[b""], [b"x"], None],
    }


def test_list_items_have_the_name_that_arrow_gives_them(tmp_path):
    write(tmp_path, ROWS)
    schema = pq.read_schema(tmp_path / "data-00000-of-00001.parquet")
    assert [kind.value_field.name for kind in schema.types] == ["item"] * 3


def test_batches_are_collected_and_divided_into_shards(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_SHARD_ROWS", 5)
    names = write(tmp_path, *[ROWS] * 5)
    assert names == [f"data-0000{n}-of-00003.parquet" for n in range(3)]
    assert pq.read_table(tmp_path).num_rows == 15
    assert pq.read_metadata(tmp_path / names[0]).num_rows == 6


def test_wide_tables_are_divided_by_their_size_in_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_SHARD_BYTES", ROWS.nbytes)
    assert len(write(tmp_path, ROWS, ROWS)) == 2


def test_a_split_that_fits_one_shard_is_halved(tmp_path):
    many = pa.RecordBatch.from_pydict({"i": np.arange(10_001)})
    names = write(tmp_path, many)
    assert [pq.read_metadata(tmp_path / name).num_rows for name in names] == [5001, 5000]
    assert pq.read_table(tmp_path)["i"].combine_chunks().flatten().to_pylist() == list(
        range(10_001)
    )


def test_a_split_of_one_part_among_others_is_not_halved(tmp_path):
    many = pa.RecordBatch.from_pydict({"i": np.arange(10_001)})
    assert len(write(tmp_path, many, is_whole=False)) == 1


def test_a_cut_begins_a_new_shard_only_if_there_are_rows(tmp_path):
    prepare_directory(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        writer = ShardWriter(tmp_path, pool)
        writer.cut()
        writer.add(ROWS)
        writer.cut()
        writer.cut()
        writer.add(ROWS)
        names, rows = writer.close(is_whole=True)
    assert (len(names), rows) == (2, 6)


def test_shards_of_an_abandoned_attempt_are_removed(tmp_path):
    prepare_directory(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        abandoned = ShardWriter(tmp_path, pool)
        abandoned.add(ROWS)
        abandoned.cut()
    assert [path.name for path in tmp_path.iterdir()] == [UNFINISHED]
    assert write(tmp_path, ROWS) == ["data-00000-of-00001.parquet"]


def test_only_the_shards_of_the_attempt_that_counts_are_published(tmp_path):
    prepare_directory(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        writers = [ShardWriter(tmp_path, pool, attempt) for attempt in ("a-", "b-")]
        for writer in writers:
            writer.add(ROWS)
        (lost, _), (won, _) = (writer.close(is_whole=False) for writer in writers)
        assert not set(lost) & set(won)
        publish_shards(tmp_path, won)
        # An attempt that outlives the job finds no place to write to.
        writers[0].add(ROWS)
        with pytest.raises(FileNotFoundError):
            writers[0].close(is_whole=False)
    assert [path.name for path in tmp_path.iterdir()] == ["data-00000-of-00001.parquet"]


def test_close_raises_the_error_of_the_writing_thread(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        writer = ShardWriter(tmp_path / "absent", pool)
        writer.add(ROWS)
        with pytest.raises(FileNotFoundError):
            writer.close(is_whole=True)
