"""Groups the rows of the table of predictions by the cells of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from components.predictions.terms import Array

_MISSING = "(missing)"


def group_slices(
    slices: Mapping[str, pa.Array], columns: Sequence[str]
) -> Iterator[tuple[str, Array]]:
    """Yields the name of each slice of `columns`, as the Evaluator names it, and its rows.

    The name is such as `payment_type=Cash, trip_start_hour=7`; a missing cell is `(missing)`. The
    rows are ascending indices, int64 [rows of the slice].

    Args:
      slices: the cells of each column, [n]; see `Predictions.slices`.
      columns: the columns to group by, one or more.
    """
    names = sorted(columns)
    codes = np.zeros(len(slices[names[0]]), np.int64)
    for name in names:
        encoded = slices[name].dictionary_encode(null_encoding="encode")
        # Renumber after each column: the product of many columns' codes would overflow int64.
        codes, _ = pd.factorize(codes * len(encoded.dictionary) + encoded.indices.to_numpy())
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, starts)[1:]:
        yield ", ".join(f"{name}={_describe(slices[name][int(rows[0])])}" for name in names), rows


def _describe(cell: Any) -> str:
    return str(cell.as_py()) if cell.is_valid else _MISSING
