"""Counts texts and codes exactly, as TFDV's generator of top values does with Beam."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from tensorflow_data_validation.types import FeaturePath
from tensorflow_data_validation.utils import top_k_uniques_stats_util as util
from tensorflow_metadata.proto.v0 import statistics_pb2

# Distinct values that wait before they are merged, so that small columns are merged rarely.
_FEWEST_TO_MERGE = 1 << 16


class ValueCounts:
    """Counts the values of one column. Memory grows with the distinct values, not with the rows."""

    def __init__(self) -> None:
        self._merged = _counts(pa.array([], pa.large_binary()))
        self._fresh: list[pa.Table] = []
        self._waiting = 0

    def add(self, cells: pa.Array) -> None:
        """Counts the cells, large_list [n] of large_binary or of int64."""
        counts = _counts(cells.flatten())
        self._fresh.append(counts)
        self._waiting += counts.num_rows
        # Merging only when as many values wait as are merged keeps the total time linear.
        if self._waiting > max(self._merged.num_rows, _FEWEST_TO_MERGE):
            self._merge()

    def is_empty(self) -> bool:
        """Whether all cells were missing."""
        return not self._waiting and not self._merged.num_rows

    def to_proto(
        self, name: str, num_top_values: int, num_buckets: int, frequency_threshold: int
    ) -> statistics_pb2.FeatureNameStatistics:
        """Returns the statistics of the column `name` with its most frequent values."""
        self._merge()
        keys = [("count", "descending"), ("value", "descending")]
        most = min(max(num_top_values, num_buckets), self._merged.num_rows)
        top = self._merged.take(pc.select_k_unstable(self._merged, most, keys))
        pairs = zip(top["value"].to_pylist(), top["count"].to_pylist(), strict=True)
        return util.make_feature_stats_proto_topk_uniques(
            feature_path=FeaturePath([name]),
            num_top_values=num_top_values,
            num_rank_histogram_buckets=num_buckets,
            num_unique=self._merged.num_rows,
            value_count_list=[util.FeatureValueCount(value, count) for value, count in pairs],
            frequency_threshold=frequency_threshold,
        )

    def _merge(self) -> None:
        everything = pa.concat_tables([self._merged, *self._fresh])
        merged = everything.group_by("value").aggregate([("count", "sum")])
        self._merged = merged.select(["value", "count_sum"]).rename_columns(["value", "count"])
        self._fresh, self._waiting = [], 0


def _counts(values: pa.Array) -> pa.Table:
    counts = values.value_counts()
    texts = counts.field("values")
    if texts.type != pa.large_binary():
        texts = texts.cast(pa.large_string()).cast(pa.large_binary())
    return pa.table({"value": texts, "count": counts.field("counts")})
