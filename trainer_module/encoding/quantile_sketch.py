"""A Beam analysis that finds the quantiles of many columns in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from tfx_bsl import sketches

_MOST_VALUES = 1 << 32
"""Values of a column up to which the sketch keeps its bound on the error."""


class FindQuantiles(beam.PTransform):
    """Returns the inner quantiles of columns, float32 [columns, buckets - 1].

    Takes batches of float32 [batch, columns]. Missing values, which are NaN, are left out. A column
    without values gets zeros; TFT's own analyzer of many columns fails on such a column.
    """

    def __init__(self, columns: int, buckets: int, error: float) -> None:
        super().__init__()
        self._combine = _Sketch(columns, buckets, error)

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        return batches | beam.CombineGlobally(self._combine)


@dataclass
class _Seen:
    """The accumulator: the quantile sketch of all columns, and which columns have values."""

    sketch: Any
    """Ignores NaN. Its result has no row for a column that holds nothing else."""
    has_values: npt.NDArray[np.bool_]
    """Whether each column has a value, [columns]."""


class _Sketch(beam.CombineFn):
    def __init__(self, columns: int, buckets: int, error: float) -> None:
        self._columns = columns
        self._buckets = buckets
        self._error = error

    def create_accumulator(self) -> _Seen:
        sketch = sketches.QuantilesSketch(self._error, _MOST_VALUES, self._columns)
        return _Seen(sketch, np.zeros(self._columns, np.bool_))

    def add_input(self, seen: _Seen, batch: tuple[npt.NDArray[np.float32]]) -> _Seen:
        (numbers,) = batch
        seen.sketch.AddValues(pa.array(numbers.reshape(-1)))
        seen.has_values |= ~np.isnan(numbers).all(axis=0)
        return seen

    def merge_accumulators(self, accumulators: Iterable[_Seen]) -> _Seen:
        merged, *others = accumulators
        for other in others:
            merged.sketch.Merge(other.sketch)
            merged.has_values |= other.has_values
        return merged

    def compact(self, seen: _Seen) -> _Seen:
        seen.sketch.Compact()
        return seen

    def extract_output(self, seen: _Seen) -> npt.NDArray[np.float32]:
        quantiles = np.zeros((self._columns, self._buckets - 1), np.float32)
        if seen.has_values.any():
            # The first and the last quantile are the lowest and the highest value.
            found = np.array(seen.sketch.GetQuantiles(self._buckets).to_pylist(), np.float32)
            quantiles[seen.has_values] = found[:, 1:-1]
        return quantiles
