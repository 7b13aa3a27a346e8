"""The rows that the benchmark sends, and the tensors that they mean for the bare signature."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_MISSING = {"float32": float("nan"), "int64": -(2**63), "string": "__MISSING__"}
_BODIES = 50
"""Different bodies, so that no cache of the processor holds a request's data."""


def read_rows(table: Path, types: Mapping[str, str]) -> list[dict[str, Any]]:
    """Returns the rows of a CSV file as a client sends them.

    Args:
      types: the type of each column: float32, int64 or string.
    """
    convert: Mapping[str, Any] = {"float32": float, "int64": int, "string": str}
    with open(table, encoding="utf-8", newline="") as file:
        return [
            {
                name: convert[dtype](row[name]) if row[name] else None
                for name, dtype in types.items()
            }
            for row in csv.DictReader(file)
        ]


def write_bodies(rows: Sequence[Mapping[str, Any]], batch: int, path: Path) -> Path:
    """Writes bodies of `batch` rows, one on each line; the rows repeat if there are too few."""
    starts = range(0, batch * _BODIES, batch)
    lines = (
        json.dumps({"instances": [rows[i % len(rows)] for i in range(start, start + batch)]})
        for start in starts
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def to_tensors(rows: Iterable[Mapping[str, Any]], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arrays [rows, 1] by column for TensorFlow's signature of the columns."""
    import numpy as np

    rows = list(rows)
    tensors = {}
    for name, spec in inputs.items():
        missing = _MISSING[spec.dtype.name]
        values = [missing if row[name] is None else row[name] for row in rows]
        dtype = np.object_ if spec.dtype.name == "string" else spec.dtype.as_numpy_dtype
        tensors[name] = np.array(values, dtype)[:, None]
    return tensors
