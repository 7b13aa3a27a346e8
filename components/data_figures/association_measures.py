"""How much one column tells about another one, from 0 (nothing) to 1 (everything).

All three measures use the rows in which both columns have a value, and ranks in place of numbers,
so that an outlier weighs as much as any other value:

- Two numbers: the absolute rank correlation of Spearman.
- Two categories: Cramer's V with the correction of Bergsma (2013, "A bias-correction for Cramer's V
  and Tschuprow's T").
- A number and a category: the correlation ratio eta of the number's ranks, with the correction of
  Kelley (1935). Without the corrections, a category with many values tells much about everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Array = npt.NDArray[Any]

_MOST_CATEGORIES = 100
"""Rarer values count as one category, which bounds the tables of two categories."""
_NO_CATEGORY = -1


@dataclass(frozen=True)
class NumberColumn:
    """A number."""

    ranks: Array
    """Ranks with the mean of ties, centered and scaled to 0.5; NaN where missing, float64 [n]."""


@dataclass(frozen=True)
class CategoryColumn:
    """A category, or a text taken as one."""

    codes: Array
    """From 0 to `count` - 1; -1 where missing, int64 [n]."""
    count: int


Column = NumberColumn | CategoryColumn


def encode_number(cells: pa.ChunkedArray) -> NumberColumn:
    """Returns the ranks of int64 or float32 cells [n]."""
    ranks = pd.Series(cells.to_numpy(), dtype="float64").rank().to_numpy()
    count = max(int(np.isfinite(ranks).sum()), 1)
    return NumberColumn((ranks - (count + 1) / 2) / count)


def encode_category(cells: pa.ChunkedArray) -> CategoryColumn:
    """Returns the codes of cells of any type [n]; the most frequent values come first."""
    encoded = cells.combine_chunks().dictionary_encode()
    codes = pc.fill_null(encoded.indices, _NO_CATEGORY).to_numpy(zero_copy_only=False)
    codes = codes.astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(encoded.dictionary))
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    place = np.minimum(place, _MOST_CATEGORIES - 1)
    known = codes >= 0
    codes[known] = place[codes[known]]
    return CategoryColumn(codes, min(len(counts), _MOST_CATEGORIES))


def measure_association(one: Column, other: Column) -> float | None:
    """Returns the association of two columns; None where one of them has fewer than two values."""
    if isinstance(one, NumberColumn):
        if isinstance(other, NumberColumn):
            return _rank_correlation(one.ranks, other.ranks)
        return _correlation_ratio(one.ranks, other)
    if isinstance(other, NumberColumn):
        return _correlation_ratio(other.ranks, one)
    return _cramers_v(one, other)


def _rank_correlation(x: Array, y: Array) -> float | None:
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < 2:
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt((x @ x) * (y @ y))
    return min(abs(float(x @ y)) / scale, 1.0) if scale > _tiny(len(x)) else None


def _correlation_ratio(numbers: Array, category: CategoryColumn) -> float | None:
    both = np.isfinite(numbers) & (category.codes >= 0)
    y, codes = numbers[both], category.codes[both]
    counts = np.bincount(codes, minlength=category.count)
    n, k = len(y), int((counts > 0).sum())
    if k < 2 or n <= k:
        return None
    y = y - y.mean()
    total = float(y @ y)
    if total <= _tiny(n):
        return None
    sums = np.bincount(codes, y, category.count)
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    return math.sqrt(max(0.0, 1 - (1 - between / total) * (n - 1) / (n - k)))


def _cramers_v(one: CategoryColumn, other: CategoryColumn) -> float | None:
    both = (one.codes >= 0) & (other.codes >= 0)
    cells = one.codes[both] * other.count + other.codes[both]
    table = np.bincount(cells, minlength=one.count * other.count).astype(float)
    table = table.reshape(one.count, other.count)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (rows, columns) = table.sum(), table.shape
    if min(rows, columns) < 2:
        return None
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    phi = max(0.0, phi - (rows - 1) * (columns - 1) / (n - 1))
    smaller = min(size - (size - 1) ** 2 / (n - 1) for size in (rows, columns))
    return min(math.sqrt(phi / (smaller - 1)), 1.0) if smaller > 1 else None


def _tiny(count: int) -> float:
    """Returns a sum of squares of scaled ranks that is rounding: a constant column has it."""
    return 1e-12 * count
