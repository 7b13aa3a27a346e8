"""Counts two samples of a number over the same bins.

TFDV aligns two histograms by spreading the count of each bucket evenly over its width. With TFDV's
default buckets of equal width, one outlier then moves most of the mass: two samples of 2,000 values
from one log-normal distribution get a Jensen-Shannon divergence of 0.3. So this module counts both
samples between the deciles of the reference, which are in TFDV's quantile histograms, and TFDV
computes the divergence of these counts.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tensorflow_metadata.proto.v0 import statistics_pb2


@dataclass(frozen=True)
class DistributionFunction:
    """A cumulative distribution function, known at the boundaries of a quantile histogram."""

    values: Sequence[float]
    """Boundaries, ascending."""
    reached: Sequence[float]
    """For each value, the share of the sample in all buckets up to the first that ends there."""
    shares: Sequence[float]
    """For each value, the share of the sample that is at most the value; 1 for the last value. The
    share is greater than `reached` if the value is so frequent that it fills whole buckets."""

    @property
    def starts_in_a_point(self) -> bool:
        """Whether the least value fills whole buckets."""
        return self.shares[0] > 0

    @property
    def ends_in_a_point(self) -> bool:
        """Whether the greatest value fills whole buckets."""
        return self.shares[-1] > self.reached[-1]

    def at_most(self, value: float) -> float:
        """Returns the share of the sample that is at most `value`, interpolated within a bucket."""
        after = bisect.bisect_right(self.values, value)
        if after == 0:
            return 0.0
        if after == len(self.values):
            return 1.0
        low, high = self.values[after - 1], self.values[after]
        if math.isinf(low) or math.isinf(high):
            return self.shares[after - 1]
        start, end = self.shares[after - 1], self.reached[after]
        return start + (value - low) / (high - low) * (end - start)

    def below(self, value: float) -> float:
        """Returns the share of the sample below `value`, interpolated within a bucket."""
        place = bisect.bisect_left(self.values, value)
        if place < len(self.values) and self.values[place] == value:
            return self.reached[place]
        return self.at_most(value)

    def quantile(self, share: float) -> float:
        """Returns the value that `share` of the sample reach at most, interpolated in a bucket."""
        place = bisect.bisect_left(self.shares, share)
        value = self.values[place]
        if place == 0 or share >= self.reached[place]:
            return value
        before, start = self.values[place - 1], self.shares[place - 1]
        if math.isinf(before) or math.isinf(value):
            return value
        return before + (value - before) * (share - start) / (self.reached[place] - start)

    def surely_below(self, value: float) -> float:
        """Returns the share of the sample in the buckets that end before `value`."""
        before = bisect.bisect_left(self.values, value)
        return self.shares[before - 1] if before else 0.0


def read_distribution(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> DistributionFunction | None:
    """Returns the distribution of a numeric column, or None if the column has no values."""
    buckets = [
        bucket
        for histogram in statistics.num_stats.histograms
        if histogram.type == statistics_pb2.Histogram.QUANTILES
        for bucket in histogram.buckets
    ]
    total = sum(bucket.sample_count for bucket in buckets)
    if not total:
        return None
    reached = {buckets[0].low_value: 0.0}
    shares = dict(reached)
    count = 0.0
    for bucket in buckets:
        count += bucket.sample_count
        shares[bucket.high_value] = count / total
        reached.setdefault(bucket.high_value, count / total)
    return DistributionFunction(list(shares), list(reached.values()), list(shares.values()))


def read_finer_distribution(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> DistributionFunction | None:
    """Returns the distribution at the deciles and at the buckets of TFDV's standard histogram.

    The standard histogram has ten buckets of equal width, which tell more about a long tail than
    the last decile does. Chance moves its counts more than those of deciles.
    """
    distribution = read_distribution(statistics)
    if distribution is None or not all(map(math.isfinite, distribution.values)):
        return distribution
    knots = dict(
        zip(
            distribution.values,
            zip(distribution.reached, distribution.shares, strict=True),
            strict=True,
        )
    )
    for value, share in _standard_boundaries(statistics):
        after = bisect.bisect_left(distribution.values, value)
        if 0 < after < len(distribution.values) and distribution.values[after] != value:
            # TFDV estimates both histograms: a share must not leave the bucket between deciles.
            low, high = distribution.shares[after - 1], distribution.reached[after]
            knots[value] = (min(max(share, low), high),) * 2
    values = sorted(knots)
    reached, shares = zip(*(knots[value] for value in values), strict=True)
    return DistributionFunction(values, reached, shares)


def _standard_boundaries(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> Iterator[tuple[float, float]]:
    """Yields the upper end of each bucket, and the share of the sample up to there."""
    for histogram in statistics.num_stats.histograms:
        if histogram.type == statistics_pb2.Histogram.STANDARD:
            total = sum(bucket.sample_count for bucket in histogram.buckets)
            counts = itertools.accumulate(bucket.sample_count for bucket in histogram.buckets)
            for bucket, count in zip(histogram.buckets, counts, strict=True):
                yield bucket.high_value, count / total if total else 0.0


def shares_by_bin(
    reference: DistributionFunction, *samples: DistributionFunction
) -> list[list[float]]:
    """Returns, for each sample, its share in each bin between the deciles of `reference`.

    The outermost bins are open. A value that fills whole deciles of the reference is the end of a
    bin of its own. If that value is the least one, one more bin holds the values below it.
    """
    edges = [
        value
        for value, share in zip(reference.values, reference.shares, strict=True)
        if math.isfinite(value) and share > 0 and (share < 1 or reference.ends_in_a_point)
    ]
    return [_shares(sample, edges, reference) for sample in samples]


def _shares(
    sample: DistributionFunction, edges: Sequence[float], reference: DistributionFunction
) -> list[float]:
    below = sample.surely_below(edges[0]) if edges and reference.starts_in_a_point else 0.0
    steps = [0.0, below, *(sample.at_most(edge) for edge in edges), 1.0]
    return [max(b - a, 0.0) for a, b in itertools.pairwise(steps)]
