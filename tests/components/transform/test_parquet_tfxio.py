"""The Parquet reader of the analysis, in a real Beam pipeline."""

from __future__ import annotations

import pickle
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow_data_validation  # noqa: F401 - registers a coder for batches, as in a run.
from apache_beam.testing.util import assert_that, equal_to
from area_table import make_schema

from components.transform import examples, parquet_tfxio
from components.transform.columns import RawColumns
from components.transform.parquet_tfxio import FilledParquetTFXIO


def test_batches_have_the_schemas_columns_with_missing_values_filled_in(tmp_path: Path) -> None:
    for name, cells in {"a": [[1], None], "b": [[3]]}.items():
        table = pa.table({"area": pa.array(cells, pa.large_list(pa.int64()))})
        pq.write_table(table, tmp_path / name)
    schema = make_schema()
    source = FilledParquetTFXIO(str(tmp_path / "*"), schema).BeamSource()
    with beam.Pipeline() as pipeline:
        batches = pipeline | source | beam.Map(lambda batch: batch.to_pydict())
        assert_that(batches, equal_to([{"area": [[1], [-7]]}, {"area": [[3]]}]))


def test_references_become_batches_in_the_next_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "_PIECE_ROWS", 2)
    table = pa.table({"area": pa.array([[1], None, [2], [3], [4]], pa.large_list(pa.int64()))})
    pq.write_table(table, tmp_path / "rows", row_group_size=3)
    pq.write_table(table.slice(0, 0), tmp_path / "none")
    source = FilledParquetTFXIO(str(tmp_path / "*"), make_schema(), by_reference=True).BeamSource()
    with beam.Pipeline() as pipeline:
        references = pipeline | source
        sizes = references | beam.Map(lambda batch: batch.nbytes)
        batches = references | beam.Reshuffle() | beam.Map(lambda batch: batch.to_pydict())
        expected = [[[1], [-7]], [[2]], [[3], [4]], []]
        assert_that(batches, equal_to([{"area": cells} for cells in expected]))
        assert_that(sizes | beam.combiners.Count.Globally(), equal_to([4]), label="sizes")


def test_a_pickled_reference_is_the_batch(tmp_path: Path) -> None:
    table = pa.table({"area": pa.array([[1], None], pa.large_list(pa.int64()))})
    pq.write_table(table, tmp_path / "rows")
    columns = RawColumns({"area": -7})
    schema = pa.schema({"area": pa.large_list(pa.int64())})
    (reference,) = parquet_tfxio._refer_to_batches(str(tmp_path / "rows"), columns, schema)
    (batch,) = parquet_tfxio._read_batches(str(tmp_path / "rows"), columns, schema)
    text = pickle.dumps(reference)
    assert pickle.loads(text).equals(batch)
    assert len(text) < 2000
