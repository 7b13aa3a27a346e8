"""Counts distinct keys in bounded memory, however many workers and distinct keys there are.

A column of identifiers has about as many distinct values as rows. So no process holds all of them:
a worker passes its counts on when it has many, and each partition of the keys is summed apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.windowed_value import WindowedValue

_MERGE_AT = 1 << 18
"""Least number of waiting rows before a merge: a lower one would merge small tables too often."""
_MOST_KEYS = 1 << 21
"""Distinct keys that a worker holds before it passes them on: about 200 MB of short texts."""
_PARTITIONS = 32
"""A billion distinct keys make 30 million in a partition, some gigabytes. More partitions cost all
small tables time."""

Batch = tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]
"""Keys, and the number of occurrences of each."""


class CountKeys(beam.PTransform):
    """Takes batches, and returns the tables of each partition: a column of keys, one of counts.

    Equal keys are in the same partition. Several tables may hold the same key.
    """

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        return batches | "Count" >> beam.ParDo(_CountKeys()) | "Partitions" >> beam.GroupByKey()


class KeySums:
    """Sums counts with Arrow, table by table: Beam's own counting handles each key in Python."""

    def __init__(self, tables: Iterable[pa.Table] = ()) -> None:
        self._tables: list[pa.Table] = []
        self._waiting = 0
        for table in tables:
            self.add(table)

    @property
    def rows(self) -> int:
        """The rows in memory: the distinct keys, and what is not merged yet."""
        return self._waiting + (self._tables[0].num_rows if self._tables else 0)

    def add(self, table: pa.Table) -> None:
        """Adds a table of keys and counts."""
        self._waiting += table.num_rows if self._tables else 0
        self._tables.append(table)
        # Merging only after as many new rows as old ones keeps the total cost proportional to the
        # number of rows.
        if self._waiting > max(_MERGE_AT, self._tables[0].num_rows):
            self.merge()

    def merge(self) -> pa.Table:
        """Returns the distinct keys with their counts."""
        if not self._tables:
            return to_table((np.array([], np.object_), np.array([], np.int64)))
        summed = pa.concat_tables(self._tables).group_by("key").aggregate([("count", "sum")])
        self._tables = [pa.table({"key": summed["key"], "count": summed["count_sum"]})]
        self._waiting = 0
        return self._tables[0]


def to_table(batch: Batch) -> pa.Table:
    """Returns a batch as a table."""
    keys, counts = batch
    return pa.table({"key": pa.array(keys, pa.large_binary()), "count": counts})


class _CountKeys(beam.DoFn):
    """Counts the keys of a bundle; yields pairs of a partition and a table of its keys."""

    def start_bundle(self) -> None:
        self._sums = KeySums()

    def process(self, batch: Batch) -> Iterator[tuple[int, pa.Table]]:
        self._sums.add(to_table(batch))
        if self._sums.rows > _MOST_KEYS:
            yield from self._pass_on()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        window = GlobalWindow()
        for pair in self._pass_on():
            yield WindowedValue(pair, window.max_timestamp(), [window])

    def _pass_on(self) -> Iterator[tuple[int, pa.Table]]:
        table, self._sums = self._sums.merge(), KeySums()
        partitions = _hash(table["key"]) % _PARTITIONS
        for partition in np.unique(partitions).tolist():
            # A slice would be pickled with the buffers of the whole table.
            yield partition, table.take(pa.array(np.flatnonzero(partitions == partition)))


def _hash(keys: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Returns a number for each key, the same in all processes; Python's own hashes differ."""
    hashes = pd.util.hash_array(keys.to_numpy(), categorize=False)
    return np.asarray(hashes >> np.uint64(1), np.int64)
