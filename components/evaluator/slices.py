"""The rows of a batch by the values of some columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from components.evaluator.accumulator import Array

SliceKey = tuple[tuple[str, Any], ...]
"""Columns and their values, in the order of the columns' names; () is the whole split."""


def rows_by_slice(
    columns: Mapping[str, Array], names: Sequence[str]
) -> Iterator[tuple[SliceKey, Array]]:
    """Each combination of values of the columns `names` that occurs, and the indices of its rows.

    The `columns` are [n] or [n, 1] each; text comes as UTF-8 bytes.
    """
    values = {name: columns[name].reshape(-1) for name in sorted(names)}
    codes = np.zeros(len(next(iter(columns.values()))), np.int64)
    for column in values.values():
        code, distinct = pd.factorize(column, use_na_sentinel=False)
        # Numbered anew after each column: products of many would not fit.
        codes, _ = pd.factorize(codes * len(distinct) + code)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, starts)[1:]:
        yield tuple((name, _plain(column[rows[0]])) for name, column in values.items()), rows


def _plain(value: Any) -> Any:
    """As TFMA has it in the key of a slice."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value.item()
