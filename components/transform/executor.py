"""Writes what Transform materialises as Parquet in batches of columns, as it comes.

TFX makes a Python dictionary of every row, which with hundreds of columns takes longer than all the
rest. For TFRecords nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_transform import impl_helper
from tfx import types
from tfx.components.transform import executor as transform
from tfx.proto import example_gen_pb2

_PARQUET = example_gen_pb2.FileFormat.Name(example_gen_pb2.FILE_FORMAT_PARQUET)
_BATCHES_A_ROW_GROUP = 32
_TfxProcessor = transform.TransformProcessor


class Executor(transform.Executor):
    """TFX's, with another way to write."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
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
    @staticmethod
    @beam.ptransform_fn  # type: ignore[untyped-decorator]
    def _EncodeAndWrite(
        batches: beam.PCollection, schema: schema_pb2.Schema, file_format: str, output_path: str
    ) -> beam.pvalue.PDone:
        if file_format != _PARQUET:
            return batches | _TfxProcessor._EncodeAndWrite(
                schema=schema, file_format=file_format, output_path=output_path
            )
        return (
            batches
            | "ExtractRecordBatches" >> beam.Keys()
            | "Collect" >> beam.BatchElements(_BATCHES_A_ROW_GROUP, _BATCHES_A_ROW_GROUP)
            | "Join" >> beam.Map(lambda several: pa.Table.from_batches(several))
            | "Write"
            >> beam.io.WriteToParquetBatched(
                output_path,
                impl_helper.make_tensor_to_arrow_converter(schema).arrow_schema(),
                codec="snappy",
                file_name_suffix=".parquet",
            )
        )
