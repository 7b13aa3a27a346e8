"""Tells which rows a finding is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from tensorflow_metadata.proto.v0 import statistics_pb2

from components.anomaly_gate.far_values import is_far
from components.anomaly_gate.gate_inputs import GateInputs
from components.predictions.terms import Array
from components.statistics_view.column_summary import iter_columns
from components.statistics_view.distributions.histograms import read_distribution
from components.statistics_view.schema_domains import read_domain
from pipeline.core.contracts import Split

_Column: TypeAlias = statistics_pb2.FeatureNameStatistics


@dataclass(frozen=True)
class Affected:
    """The rows of a finding."""

    rows: Array
    """Whether the row is affected, bool [n]."""
    usual: float
    """The share of such rows in the reference, 0 to 1."""
    are_wrong: bool
    """Whether each row alone is wrong; after drift, only all rows together are."""


def find_affected(
    kind: str, column: str, cells: pa.ChunkedArray, inputs: GateInputs
) -> Affected | None:
    """Returns the rows that a finding is about, or None for findings about the whole column.

    Args:
      cells: int64, float32 or large_binary (UTF-8 text), null if missing.
    """
    if kind == "missing_values":
        before = inputs.reference_columns.get(column)
        return Affected(_is_missing(cells), before.missing_share if before else 0.0, True)
    if kind == "new_category":
        return _find_new_categories(column, cells, inputs)
    if kind == "out_of_range":
        return _find_out_of_range(column, cells, inputs)
    if kind == "far_values":
        far = is_far(cells, inputs.reference_columns.get(column))
        return None if far is None else Affected(far, 0.0, True)
    if kind == "drift" and inputs.reference is not None:
        before = dict(iter_columns(inputs.reference.statistics[Split.TRAIN])).get(column)
        return _find_risen(cells, before) if before is not None else None
    return None


def _is_missing(cells: pa.ChunkedArray) -> Array:
    missing: Array = pc.is_null(cells, nan_is_null=True).to_numpy()
    return missing


def _find_new_categories(
    column: str, cells: pa.ChunkedArray, inputs: GateInputs
) -> Affected | None:
    domain = read_domain(inputs.schema, inputs.schema_feature(column))
    if domain is None or not pa.types.is_large_binary(cells.type):
        return None
    known = pa.array([value.encode() for value in domain], pa.large_binary())
    inside = pc.is_in(cells, value_set=known).to_numpy()
    return Affected(~inside & ~_is_missing(cells), 0.0, True)


def _find_out_of_range(column: str, cells: pa.ChunkedArray, inputs: GateInputs) -> Affected | None:
    feature = inputs.schema_feature(column)
    kind = feature.WhichOneof("domain_info")
    if kind not in ("float_domain", "int_domain") or pa.types.is_large_binary(cells.type):
        return None
    domain, values = getattr(feature, kind), cells.to_numpy().astype(float)
    outside = np.isinf(values)
    if domain.HasField("min"):
        outside |= values < domain.min
    if domain.HasField("max"):
        outside |= values > domain.max
    return Affected(outside, 0.0, True)


def _find_risen(cells: pa.ChunkedArray, before: _Column) -> Affected | None:
    """Returns the rows with the values whose shares have risen."""
    is_text = before.HasField("string_stats")
    codes, old = _code_values(cells, before) if is_text else _code_numbers(cells, before)
    present = codes >= 0
    if not present.any() or not len(old):
        return None
    new = np.bincount(codes[present], minlength=len(old)) / present.sum()
    risen = new > old
    return Affected(present & risen[codes], float(old[risen].sum()), False)


def _code_values(cells: pa.ChunkedArray, before: _Column) -> tuple[Array, Array]:
    """Returns the place of each cell's value, -1 if missing, and the old share of each place."""
    text = cells if pa.types.is_large_binary(cells.type) else cells.cast(pa.large_utf8())
    encoded = text.cast(pa.large_binary()).combine_chunks().dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    count = before.string_stats.common_stats.num_non_missing
    ranks = before.string_stats.rank_histogram.buckets
    shares = {bucket.label: bucket.sample_count / count for bucket in ranks}
    values = [value.decode("utf-8", "replace") for value in encoded.dictionary.to_pylist()]
    return codes, np.array([shares.get(value, 0.0) for value in values])


def _code_numbers(cells: pa.ChunkedArray, before: _Column) -> tuple[Array, Array]:
    """Returns the bin of each cell between the old deciles, -1 if missing, and the old shares."""
    distribution = read_distribution(before)
    if distribution is None or pa.types.is_large_binary(cells.type):
        return np.full(len(cells), -1), np.zeros(0)
    edges = [value for value in distribution.values[:-1] if np.isfinite(value)]
    old = np.diff([0.0, *(distribution.at_most(edge) for edge in edges), 1.0])
    values = pd.Series(cells.to_numpy(), dtype="float64").to_numpy()
    codes = np.searchsorted(edges, values)
    return np.where(np.isnan(values), -1, codes), old
