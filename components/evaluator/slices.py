"""The rows of a batch by the values of some columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from components.evaluator.tally import Array

SliceKey = tuple[tuple[str, Any], ...]
"""Columns and their values, in the order of the columns' names; () is the whole split."""


def rows_by_slice(
    columns: Mapping[str, Array], names: Sequence[str]
) -> Iterator[tuple[SliceKey, Array]]:
    """Each combination of values of the columns `names` that occurs, and the indices of its rows.

    The `columns` are [n] or [n, 1] each; text comes as UTF-8 bytes.
    """
    codes, values = np.zeros(len(next(iter(columns.values()))), np.int64), []
    for name in sorted(names):
        code, distinct = pd.factorize(columns[name].reshape(-1), use_na_sentinel=False)
        codes = codes * len(distinct) + code
        values.append((name, distinct))
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        yield _key(int(codes[rows[0]]), values), rows


def _key(code: int, values: Sequence[tuple[str, Array]]) -> SliceKey:
    key = []
    for name, distinct in reversed(values):
        code, index = divmod(code, len(distinct))
        value = distinct[index]
        text = isinstance(value, bytes)
        key.append((name, value.decode("utf-8", "replace") if text else value.item()))
    return tuple(reversed(key))
