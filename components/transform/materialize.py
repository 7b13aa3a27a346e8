"""Applies Transform's graph to files of examples, and writes one Parquet file for each file.

Each file is one element of the Beam pipeline; ColumnarExampleGen bounds its rows and bytes. Within
a file, threads transform pieces of its rows: TensorFlow and Arrow release Python's interpreter
lock.

An engine repeats an element whose worker died, and sometimes runs two attempts at once. So each
attempt writes a file of its own, and passes the name of that file on only when the file is
complete. The engine keeps the names of one attempt for each element; a second step gives these
files their final names. The files of other attempts stay behind in a temporary directory.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow_transform as tft
from apache_beam.io.filesystem import BeamIOError
from apache_beam.io.filesystems import FileSystems
from apache_beam.utils.shared import Shared
from tfx.dsl.io import fileio

from components.transform.columns import to_table
from components.transform.examples import Examples, find_files
from components.worker_threads import limit_tensorflow
from pipeline.core.files import staged_name


@dataclass(frozen=True)
class Split:
    """The files of a split, and where their transformed rows go."""

    pattern: str
    """A glob of the files."""
    examples: Examples
    """The reader of the files."""
    prefix: str
    """The path of the output files up to their number."""


@dataclass(frozen=True)
class _File:
    examples: int
    """The index of the reader."""
    source: str
    target: str


@dataclass(frozen=True)
class _Written:
    """A complete file of one attempt, before it has its name."""

    staged: str
    target: str


def materialize(
    pipeline: beam.Pipeline, splits: Sequence[Split], graph: str, staging: str, threads: int
) -> None:
    """Adds the transformation of all files of all splits to the pipeline.

    Args:
      pipeline: the Beam pipeline to extend.
      splits: what is transformed.
      graph: the directory of Transform's SavedModel; it must exist when the pipeline runs.
      staging: a directory for unfinished files, on the file system of the output files. The caller
        removes it after the pipeline has ended.
      threads: the pieces of a file that are transformed at once.
    """
    files = [file for index, split in enumerate(splits) for file in _list_files(index, split)]
    for split in splits:
        fileio.makedirs(os.path.dirname(split.prefix))
    transform = _TransformFile([split.examples for split in splits], graph, staging, threads)
    _ = (
        pipeline
        | "Files" >> beam.Create(files)
        | "Spread" >> beam.Reshuffle()
        | "Transform" >> beam.ParDo(transform)
        # The engine keeps what arrives here: it repeats the renames, not the transformation.
        | "KeepOneAttempt" >> beam.Reshuffle()
        | "Rename" >> beam.Map(_rename)
    )


def _list_files(index: int, split: Split) -> list[_File]:
    sources = find_files(split.pattern)
    return [
        _File(index, source, f"{split.prefix}-{number:05d}-of-{len(sources):05d}.parquet")
        for number, source in enumerate(sources)
    ]


class _TransformFile(beam.DoFn):
    def __init__(
        self, examples: Sequence[Examples], graph: str, staging: str, threads: int
    ) -> None:
        self._examples = examples
        self._graph = graph
        self._staging = staging
        self._threads = threads
        self._shared = Shared()

    def setup(self) -> None:
        limit_tensorflow(self._threads)
        self._apply = self._shared.acquire(lambda: _Graph(self._graph), self._graph)

    def process(self, file: _File) -> Iterable[_Written]:
        staged = os.path.join(self._staging, staged_name(os.path.basename(file.target)))
        try:
            self._write(file, staged)
        except BaseException:
            # A killed process leaves the file to the caller of `materialize`.
            with contextlib.suppress(Exception):
                FileSystems.delete([staged])
            raise
        return [_Written(staged, file.target)]

    def _write(self, file: _File, path: str) -> None:
        examples = self._examples[file.examples]
        transform = partial(self._transform, examples)
        with FileSystems.create(path) as target:
            tables = _map_in_threads(transform, examples.read_pieces(file.source), self._threads)
            first = next(tables)
            with pq.ParquetWriter(target, first.schema, **_WRITER_OPTIONS) as writer:
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)

    def _transform(self, examples: Examples, piece: Any) -> pa.Table:
        return to_table(self._apply(examples.to_tensors(piece)))


_WRITER_OPTIONS = {"compression": "snappy", "use_compliant_nested_type": False}


def _rename(written: _Written) -> None:
    """Gives the file its name. A second call does nothing: engines repeat this step, too."""
    try:
        FileSystems.rename([written.staged], [written.target])
    except BeamIOError:
        if FileSystems.exists(written.staged) or not FileSystems.exists(written.target):
            raise


class _Graph:
    """Transform's graph, which each process loads once."""

    def __init__(self, directory: str) -> None:
        output = tft.TFTransformOutput(os.path.dirname(directory))
        self._layer = output.transform_features_layer()

    def __call__(self, tensors: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self._layer(tensors)
        return result


def _map_in_threads(
    function: Callable[[Any], pa.Table], pieces: Iterable[Any], threads: int
) -> Iterator[pa.Table]:
    """Yields the results in the order of the pieces.

    It reads at most one piece more than there are threads, which bounds the memory.
    """
    pending: deque[Future[pa.Table]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for piece in pieces:
            pending.append(pool.submit(function, piece))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
