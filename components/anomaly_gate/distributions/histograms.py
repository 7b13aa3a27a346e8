"""Two samples of a number, counted over the same bins.

TFDV aligns two histograms by spreading each bucket's count evenly over its width. With its default
buckets of equal width one outlier then moves most of the mass: two samples of 2,000 values from
one log-normal distribution come out at a Jensen-Shannon divergence of 0.3. So both samples are
counted here between the deciles of the reference, which TFDV's quantile histograms hold, and
TFDV computes the divergence from that.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tensorflow_metadata.proto.v0 import statistics_pb2


@dataclass(frozen=True)
class DistributionFunction:
    """A distribution function, known at the boundaries of a quantile histogram."""

    values: Sequence[float]
    """Ascending."""
    reached: Sequence[float]
    """The share of the sample in the buckets up to the first that ends at the value."""
    shares: Sequence[float]
    """The share of the sample that is at most the value: more than `reached` if the value is
    frequent enough to fill buckets of its own. The last is 1."""

    @property
    def starts_in_a_point(self) -> bool:
        return self.shares[0] > 0

    @property
    def ends_in_a_point(self) -> bool:
        return self.shares[-1] > self.reached[-1]

    def at_most(self, value: float) -> float:
        """The share of the sample that is at most `value`; evenly spread inside a bucket."""
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

    def surely_below(self, value: float) -> float:
        """The share of the sample in the buckets that end before `value`."""
        before = bisect.bisect_left(self.values, value)
        return self.shares[before - 1] if before else 0.0


def read_distribution(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> DistributionFunction | None:
    """The distribution of a numeric column, or None if it has no values."""
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


def shares_by_bin(
    reference: DistributionFunction, *samples: DistributionFunction
) -> list[list[float]]:
    """For each sample its share in each bin between the deciles of `reference`.

    The outermost bins are open. A value of the reference that fills whole deciles ends a bin of its
    own, and if it is the least one, a bin in front of it catches what is below.
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
