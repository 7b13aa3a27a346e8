"""Reads Parquet files in pieces for the analysis, in place of TFX's reader.

TFX's reader spends more time on filling in missing values and on its telemetry than the analysis
takes. Here Arrow fills in the missing values.

On an engine such as Flink, the rows would leave the worker after they are read: the step that
takes them has a side input, and so begins a stage of its own. The engine keeps what it passes on in
memory, without bound. So the reader passes references there, and the next stage reads the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio.parquet_tfxio import ParquetTFXIO

from components.transform.columns import RawColumns
from components.transform.examples import ParquetExamples, PieceRows, find_files


class FilledParquetTFXIO(ParquetTFXIO):
    """TFX's Parquet reader with another Beam source."""

    def __init__(
        self, pattern: str | list[str], schema: schema_pb2.Schema, by_reference: bool = False
    ) -> None:
        """Makes the reader of the files that match `pattern`, or several of them.

        Args:
          by_reference: whether the source passes references in place of the rows: see above.
        """
        super().__init__(pattern, schema=schema)
        self._by_reference = by_reference

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        columns = RawColumns.from_representations(self.TensorRepresentations())
        files = [path for pattern in self._file_pattern for path in find_files(pattern)]
        read, kind = _read_batches, pa.RecordBatch
        if self._by_reference:
            # Beam pickles elements of the type Any; for batches it takes TFDV's coder instead.
            read, kind = _refer_to_batches, Any
        return _ReadFilled(files, beam.FlatMap(read, columns, self.ArrowSchema()), kind)


class _ReadFilled(beam.PTransform):
    def __init__(self, files: list[str], read: beam.PTransform, kind: Any) -> None:
        super().__init__()
        self._files = files
        self._read = read
        self._kind = kind

    def expand(self, pipeline: beam.Pipeline) -> beam.PCollection:
        return (
            pipeline
            | "Files" >> beam.Create(self._files)
            | "Spread" >> beam.Reshuffle()
            | "Read" >> self._read.with_output_types(self._kind)
        )


@dataclass(frozen=True)
class BatchReference:
    """Stands for a batch until it is pickled and unpickled, which gives the batch.

    Beam pickles what passes from stage to stage. A step in the same stage as the reader sees
    nothing of the batch but its size; TFT has one such step.
    """

    path: str
    rows: PieceRows
    columns: RawColumns
    schema: pa.Schema
    nbytes: int
    """The bytes of the batch in memory, about."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_batch, (self.path, self.rows, self.columns, self.schema)


def _read_batches(path: str, columns: RawColumns, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for piece in ParquetExamples(columns).read_pieces(path):
        yield columns.to_batch(piece, schema)


def _refer_to_batches(
    path: str, columns: RawColumns, schema: pa.Schema
) -> Iterator[BatchReference]:
    for rows, piece in ParquetExamples(columns).locate_pieces(path):
        yield BatchReference(path, rows, columns, schema, piece.nbytes)


def _read_batch(
    path: str, rows: PieceRows, columns: RawColumns, schema: pa.Schema
) -> pa.RecordBatch:
    return columns.to_batch(ParquetExamples(columns).read_piece(path, rows), schema)
