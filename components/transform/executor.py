"""Runs TFX's analysis, then transforms whole tables into Parquet.

TFX's own transformation makes a Python object of every text and a dictionary of every row, and
encodes batches between Beam's stages. So this executor keeps only TFX's analysis, and `materialize`
transforms the examples afterwards. TFRecords become Parquet, too: they are decompressed and parsed
once, not in each epoch of each training.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import tensorflow_transform as tft
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import types
from tfx.components.transform import executor as transform
from tfx.components.transform import labels
from tfx.components.util import value_utils
from tfx.dsl.io import fileio
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils
from tfx.types import standard_component_specs as keys

from components.beam_mode import add_running_mode, count_rows
from components.beam_workers import guard_beam_workers
from components.transform.analysis import analyze
from components.transform.columns import RawColumns
from components.transform.examples import Examples, ParquetExamples, TFRecordExamples
from components.transform.materialize import Split, materialize
from components.transform.parquet_tfxio import FilledParquetTFXIO
from components.transform.tracing import shared_trace
from components.worker_threads import count_threads
from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.contracts import Property
from pipeline.core.errors import NOTE_FILE, REFUSAL_FILE, PipelineError

_PARQUET = example_gen_pb2.FileFormat.Name(example_gen_pb2.FILE_FORMAT_PARQUET)
_STAGING = "materialized"
_TfxProcessor = transform.TransformProcessor


class Executor(transform.Executor):
    """TFX's executor with another processor."""

    _beam_pipeline_args: list[str]

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        examples = artifact_utils.get_single_instance(input_dict[keys.EXAMPLES_KEY])
        rows = count_rows(examples, artifact_utils.decode_split_names(examples.split_names))
        self._beam_pipeline_args = add_running_mode(self._beam_pipeline_args, rows)
        guard_beam_workers()
        args = self._beam_pipeline_args
        with _replace_processor(count_threads(args), not uses_local_runner(args)) as processor:
            super().Do(input_dict, output_dict, exec_properties)
        if processor.notes:
            graph = artifact_utils.get_single_instance(output_dict[keys.TRANSFORM_GRAPH_KEY])
            graph.set_string_custom_property(Property.NOTE, processor.notes[0])


@contextmanager
def _replace_processor(threads: int, by_reference: bool) -> Iterator[Any]:
    """Replaces TFX's processor class while the context lasts, and yields the other class.

    TFX's executor names the class of its processor and offers no method to override.

    Args:
      threads: see `materialize`.
      by_reference: see FilledParquetTFXIO.
    """
    settings = {"threads": threads, "by_reference": by_reference, "notes": []}
    processor = type("_Processor", (_Processor,), settings)
    transform.TransformProcessor = processor
    try:
        yield processor
    finally:
        transform.TransformProcessor = _TfxProcessor


class _Processor(transform.TransformProcessor):
    threads = 1
    """See `materialize`."""
    by_reference = False
    """See FilledParquetTFXIO."""
    notes: list[str]
    """What the analyses left for the user."""

    def _CreateTFXIO(self, dataset: Any, schema: schema_pb2.Schema) -> Any:
        if dataset.file_format == _PARQUET:
            return FilledParquetTFXIO(dataset.file_pattern, schema, self.by_reference)
        return super()._CreateTFXIO(dataset, schema)

    def Transform(self, inputs: Any, outputs: Any, status_file: str | None = None) -> None:
        [temporary] = value_utils.GetValues(outputs, labels.TEMP_OUTPUT_LABEL)
        with shared_trace(temporary):
            super().Transform(inputs, outputs, status_file)

    def _RunBeamImpl(self, *args: Any, **kwargs: Any) -> None:
        work = inspect.signature(super()._RunBeamImpl).bind(*args, **kwargs).arguments
        _select_columns(work)
        analyze(
            work["make_beam_pipeline_fn"],
            work["analyze_data_list"],
            work["preprocessing_fn"],
            work["input_dataset_metadata"],
            work["transform_output_path"],
            temp_dir=work["temp_path"],
            use_deep_copy_optimization=True,
            force_tf_compat_v1=work["force_tf_compat_v1"],
            save_options=work["save_options"],
        )
        _raise_refusal(work["temp_path"])
        self.notes += _read_files(work["temp_path"], NOTE_FILE)
        graph = os.path.join(work["transform_output_path"], tft.TFTransformOutput.TRANSFORM_FN_DIR)
        splits = [
            Split(dataset.file_pattern, _make_examples(dataset), dataset.materialize_output_path)
            for dataset in work["transform_data_list"]
        ]
        # TFX removes its temporary directory afterwards, and unfinished files with it.
        staging = os.path.join(work["temp_path"], _STAGING)
        with work["make_beam_pipeline_fn"]() as pipeline:
            materialize(pipeline, splits, graph, staging, self.threads)


def _select_columns(work: Mapping[str, Any]) -> None:
    """Reduces the datasets to the columns that the analysis or the transformation needs."""
    function, compat = work["preprocessing_fn"], work["force_tf_compat_v1"]
    specs = work["analyze_data_list"][0].tfxio.TensorAdapter().OriginalTypeSpecs()
    for datasets, list_columns in (
        ("analyze_data_list", tft.get_analyze_input_columns),
        ("transform_data_list", tft.get_transform_input_columns),
    ):
        columns = list_columns(function, specs, force_tf_compat_v1=compat)
        for dataset in work[datasets]:
            dataset.tfxio = dataset.tfxio.Project(columns)


def _raise_refusal(temporary: str) -> None:
    """Raises the error that an analysis wrote, if there is one.

    Args:
      temporary: the directory below which each analysis has its own directory.

    Raises:
      DataError: an analysis refused the data.
    """
    for text in _read_files(temporary, REFUSAL_FILE):
        raise PipelineError.from_json(text)


def _read_files(temporary: str, name: str) -> Iterator[str]:
    """Yields the texts of the files of a name that analyses wrote."""
    for path in fileio.glob(os.path.join(temporary, "*", "*", name)):
        with fileio.open(path, "r") as file:
            yield file.read()


def _make_examples(dataset: Any) -> Examples:
    """Returns the reader of a dataset, whose columns the analysis has reduced to the graph's."""
    if dataset.file_format == _PARQUET:
        return ParquetExamples(
            RawColumns.from_representations(dataset.tfxio.TensorRepresentations())
        )
    return TFRecordExamples.from_tfxio(dataset.tfxio)
