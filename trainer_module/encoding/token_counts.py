"""A Beam analysis that counts the tokens of all columns in one pass and writes the vocabularies."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tensorflow as tf
from tensorflow_transform.beam.experimental import PTransformAnalyzer

from pipeline.core.contracts import MISSING_STRING
from trainer_module.encoding.vocabulary_file import FILE_NAME, SEPARATOR, format_vocabularies

_MERGE_AT = 1 << 18
"""Least number of waiting rows before a merge: a lower one would merge small tables too often."""
_LINE_BREAKS = (b"\n", b"\r")

_Tables = list[pa.Table]
"""Tables of keys and counts; several tables may hold the same key."""


@dataclass(frozen=True)
class Vocabulary:
    """The settings of a column's vocabulary."""

    name: str
    """Name of the column's transformed feature."""
    most: int
    """Largest number of tokens."""
    min_count: int
    """Least number of occurrences of a token."""
    oov_buckets: int
    """Number of buckets that tokens outside of the vocabulary are hashed into."""


class WriteVocabularies(PTransformAnalyzer):
    """Writes the vocabularies' file and returns its path.

    Takes batches of distinct keys, `name<SEPARATOR>token`, and the number of occurrences of each.
    """

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        super().__init__()
        self._vocabularies = vocabularies

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        return (
            batches
            | "CountKeys" >> beam.CombineGlobally(_CountKeys())
            | "Write"
            >> beam.Map(_write, vocabularies=self._vocabularies, directory=self.base_temp_dir)
        )


class _CountKeys(beam.CombineFn):
    """Sums counts with Arrow, batch by batch: Beam's own counting handles each token in Python."""

    def create_accumulator(self) -> _Tables:
        return []

    def add_input(
        self, tables: _Tables, batch: tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]
    ) -> _Tables:
        keys, counts = batch
        tables.append(pa.table({"key": pa.array(keys, pa.large_binary()), "count": counts}))
        # Merging only after as many new rows as old ones keeps the total cost proportional to the
        # number of rows.
        pending = sum(table.num_rows for table in tables[1:])
        return self.compact(tables) if pending > max(_MERGE_AT, tables[0].num_rows) else tables

    def merge_accumulators(self, accumulators: list[_Tables]) -> _Tables:
        return self.compact([table for tables in accumulators for table in tables])

    def compact(self, tables: _Tables) -> _Tables:
        if len(tables) < 2:
            return tables
        summed = pa.concat_tables(tables).group_by("key").aggregate([("count", "sum")])
        return [pa.table({"key": summed["key"], "count": summed["count_sum"]})]

    def extract_output(self, tables: _Tables) -> pa.Table | None:
        return next(iter(self.compact(tables)), None)


def _write(counts: pa.Table | None, vocabularies: Sequence[Vocabulary], directory: str) -> object:
    """Writes the vocabularies' file and returns its path as an array, for TFT."""
    counted: dict[str, list[tuple[int, bytes]]] = {v.name: [] for v in vocabularies}
    for name, token, count in _split_keys(counts):
        counted[name].append((count, token))
    chosen = {v.name: _choose(counted[v.name], v) for v in vocabularies}
    tf.io.gfile.makedirs(directory)
    path = os.path.join(directory, FILE_NAME)
    with tf.io.gfile.GFile(path, "wb") as file:
        file.write(format_vocabularies(chosen))
    return np.array(path)


def _choose(counted: Iterable[tuple[int, bytes]], vocabulary: Vocabulary) -> list[bytes]:
    """Returns the most frequent tokens, in descending order of their counts."""
    frequent = (entry for entry in counted if entry[0] >= vocabulary.min_count)
    # Equally frequent tokens are sorted by bytes in descending order, as TFT's vocabulary does.
    return [token for _, token in heapq.nlargest(vocabulary.most, frequent)]


def _split_keys(counts: pa.Table | None) -> Iterator[tuple[str, bytes, int]]:
    """Yields name, token and count, without missing values and tokens that contain a line break."""
    if counts is None:
        return
    left_out = (b"", MISSING_STRING.encode())
    for key, count in zip(counts["key"].to_pylist(), counts["count"].to_pylist(), strict=True):
        name, _, token = key.partition(SEPARATOR.encode())
        if token not in left_out and not any(mark in token for mark in _LINE_BREAKS):
            yield name.decode(), token, count
