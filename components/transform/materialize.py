"""Applies Transform's graph to Parquet files: one step of Beam for each, one file out of each in.

Within a file, pieces of its row groups are worked on by as many threads as there are processors:
TensorFlow and Arrow let go of Python's lock.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow_transform as tft
from apache_beam.io.filesystems import FileSystems
from apache_beam.utils.shared import Shared

from components.cores import available_cores
from components.transform.columns import RawColumns, to_table
from components.transform.reading import files_of, pieces_of


@dataclass(frozen=True)
class _File:
    source: str
    target: str


def materialize(
    pipeline: beam.Pipeline, pattern: str, columns: RawColumns, graph: str, prefix: str
) -> None:
    """Adds to the pipeline: transforms the files of `pattern` to files that start with `prefix`.

    Args:
      graph: the directory of Transform's SavedModel, which must exist.
    """
    sources = files_of(pattern)
    files = [
        _File(source, f"{prefix}-{index:05d}-of-{len(sources):05d}.parquet")
        for index, source in enumerate(sources)
    ]
    name = f"[{prefix}]"
    _ = (
        pipeline
        | f"Files{name}" >> beam.Create(files)
        | f"Spread{name}" >> beam.Reshuffle()
        | f"Transform{name}" >> beam.ParDo(_TransformFile(columns, graph))
    )


class _TransformFile(beam.DoFn):
    def __init__(self, columns: RawColumns, graph: str) -> None:
        self._columns = columns
        self._graph = graph
        self._shared = Shared()

    def setup(self) -> None:
        self._apply = self._shared.acquire(lambda: _Graph(self._graph), self._graph)

    def process(self, file: _File) -> Iterable[str]:
        with FileSystems.open(file.source) as source, FileSystems.create(file.target) as target:
            pieces = pieces_of(pq.ParquetFile(source), list(self._columns.missing))
            tables = _in_parallel(self._transform, pieces)
            first = next(tables)
            with pq.ParquetWriter(target, first.schema, **_WRITTEN) as writer:
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)
        return [file.target]

    def _transform(self, table: pa.Table) -> pa.Table:
        return to_table(self._apply(self._columns.tensors(table)))


_WRITTEN = {"compression": "snappy", "use_compliant_nested_type": False}


class _Graph:
    """Transform's graph, loaded once a process."""

    def __init__(self, directory: str) -> None:
        output = tft.TFTransformOutput(os.path.dirname(directory))
        self._layer = output.transform_features_layer()

    def __call__(self, tensors: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self._layer(tensors)
        return result


def _in_parallel(
    function: Callable[[pa.Table], pa.Table], pieces: Iterable[pa.Table]
) -> Iterator[pa.Table]:
    """In the order of the pieces, of which no more are read than can be worked on."""
    threads = available_cores()
    pending: deque[Future[pa.Table]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for piece in pieces:
            pending.append(pool.submit(function, piece))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
