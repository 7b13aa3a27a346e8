"""Groups the rows of a batch by the values of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from components.predictions.terms import Array

SliceKey = tuple[tuple[str, Any], ...]
"""Pairs of a column and its value, ordered by the column's name. () is the whole split."""


def group_rows(
    columns: Mapping[str, Array], names: Sequence[str]
) -> Iterator[tuple[SliceKey, Array]]:
    """Yields each combination of values that occurs in the batch, with the indices of its rows.

    Args:
      columns: each [n] or [n, 1]; text is UTF-8 bytes.
      names: the columns to group by.
    """
    values = {name: columns[name].reshape(-1) for name in sorted(names)}
    codes = np.zeros(len(next(iter(columns.values()))), np.int64)
    for column in values.values():
        code, distinct = pd.factorize(column, use_na_sentinel=False)
        # Renumber after each column: the product of many columns' codes would overflow int64.
        codes, _ = pd.factorize(codes * len(distinct) + code)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, starts)[1:]:
        key = tuple((name, _convert_value(column[rows[0]])) for name, column in values.items())
        yield key, rows


def _convert_value(value: Any) -> Any:
    """Returns the value as TFMA writes it in the key of a slice."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value.item()
