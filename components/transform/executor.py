"""Transforms whole tables, as they come, into Parquet.

TFX's own way makes a Python object of every text, encodes batches from stage to stage, and a
dictionary of every row it writes. So of TFX's pipeline only the analysis is left, and what
`materialize` does follows it. TFRecords become Parquet here, too: they are decompressed and parsed
once, not in each epoch of each training.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow_transform as tft
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import types
from tfx.components.transform import executor as transform
from tfx.dsl.io import fileio
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils
from tfx.types import standard_component_specs as keys

from components.beam_mode import add_running_mode, count_rows
from components.transform.columns import RawColumns
from components.transform.examples import Examples, ParquetExamples, TFRecordExamples
from components.transform.materialize import materialize
from components.transform.parquet_tfxio import FilledParquet
from pipeline.core.errors import REFUSAL_FILE, DataError

_PARQUET = example_gen_pb2.FileFormat.Name(example_gen_pb2.FILE_FORMAT_PARQUET)
_TfxProcessor = transform.TransformProcessor


class Executor(transform.Executor):
    """TFX's, with another way to transform."""

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
        with _own_processor():
            super().Do(input_dict, output_dict, exec_properties)


@contextmanager
def _own_processor() -> Iterator[None]:
    """TFX's executor names the class it hands the work to, and leaves nothing to override."""
    transform.TransformProcessor = _Processor
    try:
        yield
    finally:
        transform.TransformProcessor = _TfxProcessor


class _Processor(transform.TransformProcessor):
    def _CreateTFXIO(self, dataset: Any, schema: schema_pb2.Schema) -> Any:
        if dataset.file_format == _PARQUET:
            return FilledParquet(dataset.file_pattern, schema=schema)
        return super()._CreateTFXIO(dataset, schema)

    def _RunBeamImpl(self, *args: Any, **kwargs: Any) -> None:
        call = inspect.signature(super()._RunBeamImpl).bind(*args, **kwargs)
        work = call.arguments
        work["materialization_format"] = None
        super()._RunBeamImpl(*call.args, **call.kwargs)
        _raise_refusal(work["temp_path"])
        graph = os.path.join(work["transform_output_path"], tft.TFTransformOutput.TRANSFORM_FN_DIR)
        with work["make_beam_pipeline_fn"]() as pipeline:
            for dataset in work["transform_data_list"]:
                examples = _examples_of(dataset)
                materialize(
                    pipeline, dataset.file_pattern, examples, graph, dataset.materialize_output_path
                )


def _raise_refusal(temporary: str) -> None:
    """Each analysis has a directory of its own there.

    Raises:
      DataError: as an analysis has left it.
    """
    for path in fileio.glob(os.path.join(temporary, "*", "*", REFUSAL_FILE)):
        with fileio.open(path, "r") as file:
            raise DataError.from_json(file.read())


def _examples_of(dataset: Any) -> Examples:
    """The analysis has left only the columns that the graph takes."""
    if dataset.file_format == _PARQUET:
        return ParquetExamples(RawColumns.of(dataset.tfxio.TensorRepresentations()))
    return TFRecordExamples.of(dataset.tfxio)
