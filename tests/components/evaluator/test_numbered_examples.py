"""Rows are numbered alike, whichever worker reads which file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.util import assert_that
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import standard_artifacts

from components.evaluator.numbered_examples import ROWS, ReadNumberedExamples
from components.predictions.examples import find_split_files

FILES = 5
FILE_ROWS = 7


@pytest.fixture
def artifact(tmp_path: Path) -> Any:
    """Five files of seven rows, in row groups of three. The cell `x` of row n is n."""
    (tmp_path / "Split-eval").mkdir()
    for index in range(FILES):
        numbers = range(index * FILE_ROWS, (index + 1) * FILE_ROWS)
        cells = pa.array([[n] for n in numbers], pa.large_list(pa.int64()))
        path = tmp_path / f"Split-eval/data-{index}.parquet"
        pq.write_table(pa.table({"x": cells}), path, row_group_size=3)
    examples = standard_artifacts.Examples()
    examples.uri, examples.split_names = str(tmp_path), '["eval"]'
    examples.set_string_custom_property("payload_format", "FORMAT_PARQUET")
    examples.set_string_custom_property("file_format", "FILE_FORMAT_PARQUET")
    return examples


@pytest.mark.parametrize("mode", ["in_memory", "multi_threading"])
def test_each_row_has_its_number_in_the_split(artifact: Any, mode: str) -> None:
    files = find_split_files(artifact, "eval", schema_pb2.Schema(), ["x"])

    def check(batches: list[dict[str, Any]]) -> None:
        assert sorted(n for batch in batches for n in batch[ROWS]) == list(range(35))
        for batch in batches:
            cells = batch["arrow_record_batch"].column(0).flatten()
            assert cells.to_pylist() == batch[ROWS].tolist()

    flags = [f"--direct_running_mode={mode}", "--direct_num_workers=3"]
    options = beam.options.pipeline_options.PipelineOptions(flags)
    with beam.Pipeline("DirectRunner", options) as pipeline:
        assert_that(pipeline | ReadNumberedExamples(files), check)
