"""A Beam analysis that counts the tokens of all columns in one pass and writes the vocabularies.

Only the most frequent tokens of each partition of the keys come together in one worker.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import apache_beam as beam
import numpy as np
import pyarrow as pa
import tensorflow as tf
from tensorflow_transform.beam.experimental import PTransformAnalyzer

from pipeline.core.contracts import MISSING_STRING
from pipeline.core.files import write_bytes_atomically
from trainer_module.encoding.key_counts import CountKeys, KeySums
from trainer_module.encoding.vocabulary_file import FILE_NAME, SEPARATOR, format_vocabularies

_CHUNK_ROWS = 1 << 16
"""Keys that are Python objects at a time."""
_LINE_BREAKS = (b"\n", b"\r")

_Counted = list[tuple[int, bytes]]
"""Counts and tokens of a vocabulary."""


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

    def choose(self, counted: Iterable[tuple[int, bytes]]) -> _Counted:
        """Returns the most frequent tokens with their counts, in descending order of the counts."""
        frequent = (entry for entry in counted if entry[0] >= self.min_count)
        # Equally frequent tokens are sorted by bytes in descending order, as TFT's vocabulary does.
        return heapq.nlargest(self.most, frequent)


class WriteVocabularies(PTransformAnalyzer):
    """Writes the vocabularies' file and returns its path.

    Takes batches of distinct keys, `name<SEPARATOR>token`, and the number of occurrences of each.
    """

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        super().__init__()
        self._vocabularies = vocabularies

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        by_name = {vocabulary.name: vocabulary for vocabulary in self._vocabularies}
        return (
            batches
            | "CountKeys" >> CountKeys()
            | "ChooseOfPartition" >> beam.Map(_choose_of_partition, by_name)
            | "Choose" >> beam.CombineGlobally(_Choose(by_name))
            | "Write" >> beam.Map(_write, directory=self.base_temp_dir)
        )


def _choose_of_partition(
    partition: tuple[int, Iterable[pa.Table]], vocabularies: Mapping[str, Vocabulary]
) -> dict[str, _Counted]:
    """Returns the most frequent tokens among the keys of one partition, by vocabulary."""
    chosen: dict[str, _Counted] = {}
    _, tables = partition
    for batch in KeySums(tables).merge().to_batches(_CHUNK_ROWS):
        fresh: dict[str, _Counted] = {}
        for name, token, count in _split_keys(batch):
            fresh.setdefault(name, []).append((count, token))
        _add(chosen, fresh, vocabularies)
    return chosen


def _add(
    chosen: dict[str, _Counted],
    more: Mapping[str, _Counted],
    vocabularies: Mapping[str, Vocabulary],
) -> None:
    """Adds counted tokens to those that are chosen, and keeps the most frequent ones."""
    for name, counted in more.items():
        chosen[name] = vocabularies[name].choose(chain(chosen.get(name, ()), counted))


class _Choose(beam.CombineFn):
    """Chooses among the tokens of all partitions; returns the tokens of each vocabulary."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary]) -> None:
        self._vocabularies = vocabularies

    def create_accumulator(self) -> dict[str, _Counted]:
        return {}

    def add_input(
        self, chosen: dict[str, _Counted], found: Mapping[str, _Counted]
    ) -> dict[str, _Counted]:
        _add(chosen, found, self._vocabularies)
        return chosen

    def merge_accumulators(self, parts: Iterable[dict[str, _Counted]]) -> dict[str, _Counted]:
        merged: dict[str, _Counted] = {}
        for part in parts:
            _add(merged, part, self._vocabularies)
        return merged

    def extract_output(self, chosen: dict[str, _Counted]) -> dict[str, list[bytes]]:
        return {name: [t for _, t in chosen.get(name, ())] for name in self._vocabularies}


def _write(chosen: Mapping[str, Sequence[bytes]], directory: str) -> object:
    """Writes the vocabularies' file and returns its path as an array, for TFT."""
    tf.io.gfile.makedirs(directory)
    path = os.path.join(directory, FILE_NAME)
    # Engines repeat this step, and may run two attempts at once.
    write_bytes_atomically(path, format_vocabularies(chosen), durable=False)
    return np.array(path)


def _split_keys(counts: pa.RecordBatch) -> Iterator[tuple[str, bytes, int]]:
    """Yields name, token and count, without missing values and tokens that contain a line break."""
    left_out = (b"", MISSING_STRING.encode())
    columns = (counts.column(name).to_pylist() for name in ("key", "count"))
    for key, count in zip(*columns, strict=True):
        name, _, token = key.partition(SEPARATOR.encode())
        if token not in left_out and not any(mark in token for mark in _LINE_BREAKS):
            yield name.decode(), token, count
