"""Compares TFDV's statistics of tf.Examples with this project's statistics, feature by feature.

Counts, extremes and values must be equal. Means may differ by the order of addition. Quantiles are
approximate by design and are compared with the rows themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
from tensorflow_metadata.proto.v0 import statistics_pb2

from benchmarks.artifacts import find_artifact
from benchmarks.results import Check
from pipeline.core.contracts import ArtifactFile, Split

_RELATIVE = 1e-4
"""The relative tolerance of means: float32 sums of a million values depend on their order."""
_RANK = 0.02
"""The tolerance in rank: twice the error that TFDV's quantiles may have."""

Feature: TypeAlias = statistics_pb2.FeatureNameStatistics


def check_statistics(
    stock: Path, ours: Path, splits: Path, names: Sequence[str]
) -> Iterator[Check]:
    """Yields for each split the checks of the number of rows and of the statistics.

    `stock` and `ours` are the directories of two pipeline runs; `splits` holds the CSV files of the
    splits `names`.
    """
    for name in names:
        theirs, own = _read(stock, name), _read(ours, name)
        same = theirs.num_examples == own.num_examples
        finding = f"{theirs.num_examples} and {own.num_examples}"
        yield Check(f"rows of {name}", same, finding)
        table = pa.csv.read_csv(splits / f"{name}.csv")
        differences = list(compare_splits(theirs, own, table))
        finding = "; ".join(differences[:5]) or f"{len(own.features)} equal features"
        yield Check(f"statistics of {name}", not differences, finding)


def compare_splits(
    stock: statistics_pb2.DatasetFeatureStatistics,
    ours: statistics_pb2.DatasetFeatureStatistics,
    table: pa.Table,
) -> Iterator[str]:
    """Yields a phrase for each difference; both are statistics of the rows of `table`."""
    theirs, own = ({_name(f): f for f in s.features} for s in (stock, ours))
    if missing := set(theirs) ^ set(own):
        yield f"only one has {', '.join(sorted(missing))}"
    for name in sorted(set(theirs) & set(own)):
        for difference in compare_features(theirs[name], own[name], table.column(name)):
            yield f"{name}: {difference}"


def compare_features(stock: Feature, ours: Feature, column: pa.ChunkedArray) -> Iterator[str]:
    """Yields a phrase for each difference in one feature's statistics."""
    kinds = (stock.WhichOneof("stats"), ours.WhichOneof("stats"))
    if kinds == ("num_stats", "num_stats"):
        yield from _counts(stock.num_stats, ours.num_stats)
        yield from _numbers(stock.num_stats, ours.num_stats)
        values = np.sort(column.drop_null().to_numpy())
        for statistics in (stock.num_stats, ours.num_stats):
            yield from _quantiles(statistics, values)
    elif kinds == ("string_stats", "string_stats"):
        yield from _counts(stock.string_stats, ours.string_stats)
        yield from _words(stock.string_stats, ours.string_stats)
    elif kinds == ("num_stats", "string_stats"):
        # A label or a category: integers in TFX's statistics, texts in this project's.
        yield from _counts(stock.num_stats, ours.string_stats)
        names = {int(value): count for value, count in _frequencies(ours.string_stats).items()}
        mean = sum(n * count for n, count in names.items()) / max(sum(names.values()), 1)
        yield from _close("mean", stock.num_stats.mean, mean)
    else:
        yield f"is {kinds[0]} and {kinds[1]}"


def _counts(stock: Any, ours: Any) -> Iterator[str]:
    """Compares the numbers of present values.

    CsvExampleGen writes a missing value as an empty list, which TFDV does not count as missing.
    """
    pair = (stock.common_stats.tot_num_values, ours.common_stats.tot_num_values)
    if pair[0] != pair[1]:
        yield f"{pair[0]} and {pair[1]} values"
    if ours.common_stats.num_non_missing != ours.common_stats.tot_num_values:
        yield "this project counts missing values as present"


def _numbers(stock: Any, ours: Any) -> Iterator[str]:
    for field in ("mean", "std_dev"):
        yield from _close(field, getattr(stock, field), getattr(ours, field))
    for field in ("min", "max", "num_zeros"):
        pair = (getattr(stock, field), getattr(ours, field))
        if pair[0] != pair[1]:
            yield f"{field} {pair[0]} and {pair[1]}"


def _close(field: str, stock: float, ours: float) -> Iterator[str]:
    if not math.isclose(stock, ours, rel_tol=_RELATIVE, abs_tol=1e-9):
        yield f"{field} {stock:.6g} and {ours:.6g}"


def _quantiles(statistics: Any, values: npt.NDArray[Any]) -> Iterator[str]:
    """Yields each quantile whose rank among the sorted values is wrong by more than `_RANK`."""
    [histogram] = [h for h in statistics.histograms if h.type == h.QUANTILES] or [None]
    buckets = list(histogram.buckets) if histogram else []
    wanted = [(bucket.high_value, (i + 1) / len(buckets)) for i, bucket in enumerate(buckets)]
    for value, rank in [*wanted, (statistics.median, 0.5)]:
        # The statistics are float32: a rounded quantile must still find its own value.
        slack = abs(value) * 1e-6
        low = np.searchsorted(values, value - slack, "left") / max(len(values), 1)
        high = np.searchsorted(values, value + slack, "right") / max(len(values), 1)
        if not low - _RANK <= rank <= high + _RANK:
            yield f"quantile {rank:g} is {value:g}, of rank {low:.3f} to {high:.3f}"


def _words(stock: Any, ours: Any) -> Iterator[str]:
    if stock.unique != ours.unique:
        yield f"{stock.unique} and {ours.unique} unique values"
    for field in ("top_values", "rank_histogram"):
        if _frequencies(stock, field) != _frequencies(ours, field):
            yield f"other {field}"
    yield from _close("avg_length", stock.avg_length, ours.avg_length)


def _frequencies(statistics: Any, field: str = "rank_histogram") -> dict[str, float]:
    if field == "rank_histogram":
        return {b.label: b.sample_count for b in statistics.rank_histogram.buckets}
    return {top.value: top.frequency for top in statistics.top_values}


def _name(feature: Feature) -> str:
    return feature.name or ".".join(feature.path.step)


def _read(root: Path, split: str) -> statistics_pb2.DatasetFeatureStatistics:
    directory = find_artifact(root, "StatisticsGen", "statistics") / f"{Split.PREFIX}{split}"
    statistics = statistics_pb2.DatasetFeatureStatisticsList()
    statistics.ParseFromString((directory / ArtifactFile.STATISTICS).read_bytes())
    return statistics.datasets[0]
