"""Raw rows of Examples, read by number from files of both formats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import standard_artifacts

from components.predictions.examples import find_split_files, read_examples

TEXT = ["Paris", None, "São Paulo", "", "Paris", "Oslo", "Rom"]
TABLE: dict[str, list[Any]] = {
    "city": [None if text is None else text.encode() for text in TEXT],
    "hour": [7, 8, None, 9, 10, 11, 12],
    "fare": [0.5, None, 2.5, 3.5, 4.5, 5.5, None],
    "never": [None] * 7,
}
TYPES = {"city": pa.large_binary(), "hour": pa.int64(), "fare": pa.float32(), "never": pa.int64()}
SCHEMA = schema_pb2.Schema(
    feature=[
        schema_pb2.Feature(name="city", type=schema_pb2.BYTES),
        schema_pb2.Feature(name="hour", type=schema_pb2.INT),
        schema_pb2.Feature(name="fare", type=schema_pb2.FLOAT),
        schema_pb2.Feature(name="never", type=schema_pb2.INT),
    ]
)
FILES = ((0, 3), (3, 4), (4, 7))
"""First row and end of each file; in order of their names."""


def write_examples(directory: Path, parquet: bool, group_rows: int = 2) -> Any:
    """Writes TABLE as the split `test` in three files, and returns the Examples artifact."""
    artifact = standard_artifacts.Examples()
    artifact.uri, artifact.split_names = str(directory), '["test"]'
    kind = ("FORMAT_PARQUET", "FILE_FORMAT_PARQUET")
    payload, file_format = kind if parquet else ("FORMAT_TF_EXAMPLE", "tfrecords_gzip")
    artifact.set_string_custom_property("payload_format", payload)
    artifact.set_string_custom_property("file_format", file_format)
    folder = directory / "Split-test"
    folder.mkdir(parents=True)
    for index, (start, end) in reversed([*enumerate(FILES)]):
        path = folder / f"data-{index:05d}-of-00003.{'parquet' if parquet else 'gz'}"
        rows = {name: values[start:end] for name, values in TABLE.items()}
        if parquet:
            _write_parquet(path, rows, group_rows)
        else:
            _write_tfrecord(path, rows)
    return artifact


def _write_parquet(path: Path, rows: dict[str, list[Any]], group_rows: int) -> None:
    lists = {
        name: pa.array([None if v is None else [v] for v in values], pa.large_list(TYPES[name]))
        for name, values in rows.items()
    }
    pq.write_table(pa.table(lists), path, row_group_size=group_rows)


def _write_tfrecord(path: Path, rows: dict[str, list[Any]]) -> None:
    field = {"city": "bytes_list", "hour": "int64_list", "fare": "float_list"}
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for index in range(len(rows["city"])):
            example = tf.train.Example()
            for name, values in rows.items():
                if values[index] is not None:
                    feature = example.features.feature[name]
                    getattr(feature, field[name]).value.append(values[index])
            writer.write(example.SerializeToString())


@pytest.fixture(params=[True, False], ids=["parquet", "tfrecord"])
def examples(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return write_examples(tmp_path, request.param)


def pick(name: str, rows: Sequence[int]) -> list[Any]:
    return [TABLE[name][row] for row in rows]


@pytest.mark.parametrize("rows", [None, [0], [2, 3], [1, 4, 6], [0, 1, 2, 3, 4, 5, 6], []])
def test_cells_are_read_by_row_number(examples: Any, rows: list[int] | None) -> None:
    chosen = None if rows is None else np.array(rows, np.int64)
    read = read_examples(examples, "test", SCHEMA, ["hour", "city", "fare", "never"], chosen)
    assert read.column_names == ["hour", "city", "fare", "never"]
    for name in TABLE:
        assert read[name].to_pylist() == pick(name, range(7) if rows is None else rows)
    assert read.schema.types == [TYPES[name] for name in read.column_names]


def test_only_batches_with_chosen_rows_are_read(tmp_path: Path) -> None:
    files = find_split_files(write_examples(tmp_path, parquet=True), "test", SCHEMA, ["hour"])
    batches = [*files.read_batches(files.paths[2], np.array([-3, 2, 9]))]
    assert [(first, batch.num_rows) for first, batch in batches] == [(2, 1)]
    assert [files.count_rows(path) for path in files.paths] == [3, 1, 3]


def test_a_row_of_several_values_is_an_error(tmp_path: Path) -> None:
    artifact = write_examples(tmp_path, parquet=True)
    path = sorted((tmp_path / "Split-test").iterdir())[1]
    cells = pa.array([[1, 2]], pa.large_list(pa.int64()))
    pq.write_table(pa.table({"hour": cells}), path)
    with pytest.raises(ValueError, match="column 'hour' has rows of several values"):
        read_examples(artifact, "test", SCHEMA, ["hour"])
