"""Files of examples, read in pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf

from components.transform import examples
from components.transform.columns import RawColumns
from components.transform.examples import ParquetExamples, TFRecordExamples, find_files

COLUMNS = RawColumns({"row": -1})


def write_parquet(path: Path, rows: list[int | None]) -> None:
    cells = [None if row is None else [row] for row in rows]
    columns = {"row": pa.array(cells, pa.large_list(pa.int64())), "unread": pa.array(cells)}
    pq.write_table(pa.table(columns), path)


def write_tfrecord(path: Path, rows: list[int | None]) -> None:
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for row in rows:
            example = tf.train.Example()
            if row is not None:
                example.features.feature["row"].int64_list.value.append(row)
            writer.write(example.SerializeToString())


READERS = [
    (write_parquet, ParquetExamples(COLUMNS)),
    (write_tfrecord, TFRecordExamples(COLUMNS, {"row": tf.int64})),
]


@pytest.mark.parametrize(("write", "reader"), READERS)
def test_pieces_hold_all_rows_in_order_with_missing_values_filled_in(
    write: object, reader: examples.Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "_PIECE_ROWS", 3)
    write(tmp_path / "file", [0, None, 2, 3, 4, None, 6])
    pieces = [
        reader.to_tensors(piece)["row"] for piece in reader.read_pieces(str(tmp_path / "file"))
    ]
    assert [len(piece) for piece in pieces] == [3, 3, 1]
    assert np.concatenate(pieces).tolist() == [[0], [-1], [2], [3], [4], [-1], [6]]


@pytest.mark.parametrize(("write", "reader"), READERS)
def test_an_empty_file_has_one_piece_without_rows(
    write: object, reader: examples.Examples, tmp_path: Path
) -> None:
    write(tmp_path / "file", [])
    [piece] = reader.read_pieces(str(tmp_path / "file"))
    assert np.shape(reader.to_tensors(piece)["row"]) == (0, 1)


def test_wide_rows_come_in_smaller_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_parquet(tmp_path / "file", list(range(1000)))
    monkeypatch.setattr(examples, "_PIECE_BYTES", 1000)
    pieces = list(ParquetExamples(COLUMNS).read_pieces(str(tmp_path / "file")))
    assert len(pieces) > 10
    assert sum(piece.num_rows for piece in pieces) == 1000


def test_files_are_found_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("data-2", "data-10", "data-1", "other"):
        (tmp_path / name).touch()
    names = [Path(path).name for path in find_files(str(tmp_path / "data-*"))]
    assert names == ["data-1", "data-10", "data-2"]
