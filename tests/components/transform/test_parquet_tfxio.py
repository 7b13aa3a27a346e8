"""The Parquet reader of the analysis, in a real Beam pipeline."""

from __future__ import annotations

from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.util import assert_that, equal_to
from area_table import make_schema

from components.transform.parquet_tfxio import FilledParquetTFXIO


def test_batches_have_the_schemas_columns_with_missing_values_filled_in(tmp_path: Path) -> None:
    for name, cells in {"a": [[1], None], "b": [[3]]}.items():
        table = pa.table({"area": pa.array(cells, pa.large_list(pa.int64()))})
        pq.write_table(table, tmp_path / name)
    schema = make_schema()
    source = FilledParquetTFXIO(str(tmp_path / "*"), schema=schema).BeamSource()
    with beam.Pipeline() as pipeline:
        batches = pipeline | source | beam.Map(lambda batch: batch.to_pydict())
        assert_that(batches, equal_to([{"area": [[1], [-7]]}, {"area": [[3]]}]))
