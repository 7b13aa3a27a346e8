"""Chooses the ExampleGen for the configured source, and computes the fingerprint of its data."""

from __future__ import annotations

import os
import uuid

from tfx.components.example_gen.input_processor import FileBasedInputProcessor
from tfx.dsl.components.base.base_component import BaseComponent
from tfx.proto import example_gen_pb2

from components.columnar_example_gen.component import ColumnarExampleGen, build_output_config
from components.record_example_gen.component import RecordExampleGen
from components.record_splits.settings import RecordSettings
from components.tables.fingerprint import compute_fingerprint, resolve_paths
from pipeline.config import Config, DataConfig


def make_example_gen(
    config: Config, query_answer_id: str, reference_split: str = ""
) -> BaseComponent:
    """Returns the component that turns the configured source into Examples.

    Args:
      query_answer_id: identifies the answer to the query; see QueryExampleGen. Other sources
        ignore it.
      reference_split: how the rows of the served model were divided; see `resolve_split`.
    """
    data = config.data
    if data.source in ("csv", "parquet"):
        return ColumnarExampleGen(
            data=config.data_with_time_format(),
            label=config.label,
            column_types=config.column_types(),
            reference_split=reference_split,
        )
    output = build_output_config(data.split)
    settings = RecordSettings.of(data, config.label, reference_split)
    if data.source == "tfrecord":
        directory, split = _make_import_split(data)
        return RecordExampleGen(directory, split, output, settings)
    # Imported here because it loads Google Cloud's clients, which no other source needs.
    from components.query_example_gen.component import QueryExampleGen

    return QueryExampleGen(data.query, output, settings, query_answer_id)


def compute_input_fingerprint(data: DataConfig) -> str:
    """Returns the fingerprint that the ExampleGen's driver will put on its Examples.

    For a query it is a new random text: the answer is unknown before the query runs, so each run
    counts as new data.

    Raises:
      ConfigError: the files cannot be found.
    """
    if data.source in ("csv", "parquet"):
        paths, _ = resolve_paths(data)
        return compute_fingerprint(paths)
    if data.source == "tfrecord":
        directory, split = _make_import_split(data)
        processor = FileBasedInputProcessor(directory, [split])
        fingerprint: str = processor.get_input_fingerprint(*processor.resolve_span_and_version())
        return fingerprint
    return uuid.uuid4().hex


def _make_import_split(data: DataConfig) -> tuple[str, example_gen_pb2.Input.Split]:
    directory, pattern = os.path.split(os.path.abspath(data.path[0]))
    return directory, example_gen_pb2.Input.Split(name="all", pattern=pattern)
