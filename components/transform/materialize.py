"""Applies Transform's graph to files of examples, and writes one Parquet file for each file.

Each file is one element of the Beam pipeline. Within a file, as many threads as there are
processors transform pieces of its rows: TensorFlow and Arrow release Python's interpreter lock.
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

from components.transform.columns import to_table
from components.transform.examples import Examples, find_files
from pipeline.core.processes import available_cores


@dataclass(frozen=True)
class _File:
    source: str
    target: str


def materialize(
    pipeline: beam.Pipeline, pattern: str, examples: Examples, graph: str, prefix: str
) -> None:
    """Adds the transformation of all files that match `pattern` to the pipeline.

    Args:
      pipeline: the Beam pipeline to extend.
      pattern: a glob of the files of one split.
      examples: the reader of these files.
      graph: the directory of Transform's SavedModel; it must exist when the pipeline runs.
      prefix: the path of the output files up to their number.
    """
    sources = find_files(pattern)
    files = [
        _File(source, f"{prefix}-{index:05d}-of-{len(sources):05d}.parquet")
        for index, source in enumerate(sources)
    ]
    name = f"[{prefix}]"
    _ = (
        pipeline
        | f"Files{name}" >> beam.Create(files)
        | f"Spread{name}" >> beam.Reshuffle()
        | f"Transform{name}" >> beam.ParDo(_TransformFile(examples, graph))
    )


class _TransformFile(beam.DoFn):
    def __init__(self, examples: Examples, graph: str) -> None:
        self._examples = examples
        self._graph = graph
        self._shared = Shared()

    def setup(self) -> None:
        self._apply = self._shared.acquire(lambda: _Graph(self._graph), self._graph)

    def process(self, file: _File) -> Iterable[str]:
        with FileSystems.create(file.target) as target:
            tables = _map_in_threads(self._transform, self._examples.read_pieces(file.source))
            first = next(tables)
            with pq.ParquetWriter(target, first.schema, **_WRITER_OPTIONS) as writer:
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)
        return [file.target]

    def _transform(self, piece: Any) -> pa.Table:
        return to_table(self._apply(self._examples.to_tensors(piece)))


_WRITER_OPTIONS = {"compression": "snappy", "use_compliant_nested_type": False}


class _Graph:
    """Transform's graph, which each process loads once."""

    def __init__(self, directory: str) -> None:
        output = tft.TFTransformOutput(os.path.dirname(directory))
        self._layer = output.transform_features_layer()

    def __call__(self, tensors: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self._layer(tensors)
        return result


def _map_in_threads(
    function: Callable[[Any], pa.Table], pieces: Iterable[Any]
) -> Iterator[pa.Table]:
    """Yields the results in the order of the pieces.

    It reads at most one piece more than there are threads, which bounds the memory.
    """
    threads = available_cores()
    pending: deque[Future[pa.Table]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for piece in pieces:
            pending.append(pool.submit(function, piece))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
