"""Reads the examples of the evaluated split in batches whose rows are numbered.

TFX's Beam sources tell no positions, and the table of predictions names each row by its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import apache_beam as beam
import numpy as np
from tensorflow_model_analysis import constants

from components.predictions.examples import SplitFiles

ROWS = "row_numbers"
"""The key of an extract: the numbers of the rows of the batch, int64 [n]."""


class ReadNumberedExamples(beam.PTransform):
    """Returns batches as TFMA's extracts: an Arrow record batch, and the numbers of its rows.

    A first step counts the rows of each file, so that workers which read different files number
    their rows alike.
    """

    def __init__(self, files: SplitFiles) -> None:
        super().__init__()
        self._files = files

    def expand(self, pipeline: beam.Pipeline) -> beam.PCollection:
        paths = pipeline | "Files" >> beam.Create(self._files.paths) | beam.Reshuffle()
        counts = paths | "CountRows" >> beam.Map(_count_rows, self._files)
        return paths | "Read" >> beam.FlatMap(
            _read_batches, self._files, beam.pvalue.AsDict(counts)
        )


def _count_rows(path: str, files: SplitFiles) -> tuple[str, int]:
    return path, files.count_rows(path)


def _read_batches(
    path: str, files: SplitFiles, counts: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    start = sum(counts[earlier] for earlier in files.paths[: files.paths.index(path)])
    for first, batch in files.read_batches(path):
        begin = start + first
        yield {
            constants.ARROW_RECORD_BATCH_KEY: batch,
            ROWS: np.arange(begin, begin + batch.num_rows),
        }
