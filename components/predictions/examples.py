"""Reads the raw rows of a split of Examples, Parquet or TFRecord, in the order of row numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from components.predictions.metrics import Array


def read_examples(
    examples: Any,
    split: str,
    schema: schema_pb2.Schema,
    columns: Sequence[str],
    rows: Array | None = None,
) -> pa.Table:
    """Returns raw cells of a split, one row per example, in the order of `rows`.

    Each column is int64, float32 or large_binary (UTF-8 text), null where the cell is missing.

    Args:
      examples: the Examples artifact.
      split: the split's name.
      schema: the curated schema, which types the columns of TFRecord files.
      columns: the columns to read.
      rows: ascending row numbers, int64 [n]; None for all rows.
    """
    raise NotImplementedError
