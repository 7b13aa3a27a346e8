"""Samples are counted between the deciles of the reference."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import statistics_pb2

from components.statistics_view.distributions.histograms import (
    DistributionFunction,
    read_distribution,
    read_finer_distribution,
    shares_by_bin,
)


def distribution(*buckets: tuple[float, float, float]) -> DistributionFunction | None:
    """Returns the distribution with these buckets: low, high and count."""
    statistics = statistics_pb2.FeatureNameStatistics()
    histogram = statistics.num_stats.histograms.add(type=statistics_pb2.Histogram.QUANTILES)
    for low, high, count in buckets:
        histogram.buckets.add(low_value=low, high_value=high, sample_count=count)
    return read_distribution(statistics)


def test_a_column_without_values_has_no_distribution() -> None:
    assert distribution() is None
    assert distribution((0, 1, 0)) is None


def test_shares_are_interpolated_within_a_bucket() -> None:
    found = distribution((0, 10, 5), (10, 20, 5))
    assert found is not None
    shares = [found.at_most(value) for value in (-1, 0, 5, 10, 15, 20, 99)]
    assert shares == pytest.approx([0, 0, 0.25, 0.5, 0.75, 1, 1])


def test_a_frequent_value_fills_a_bin_of_its_own() -> None:
    zeros = distribution((0, 0, 5), (0, 10, 5))
    shifted = distribution((-10, -5, 4), (-5, 0, 1), (0, 10, 5))
    assert zeros is not None
    assert shifted is not None
    assert zeros.starts_in_a_point
    assert not zeros.ends_in_a_point
    reference, sample = shares_by_bin(zeros, zeros, shifted)
    assert reference == pytest.approx([0, 0.5, 0.5])
    assert sample == pytest.approx([0.4, 0.1, 0.5])


def test_the_share_below_a_frequent_value_leaves_the_value_out() -> None:
    found = distribution((0, 0, 5), (0, 10, 5))
    assert found is not None
    assert [found.below(value) for value in (0, 5, 10, 11)] == pytest.approx([0, 0.75, 1, 1])


def test_quantiles_are_interpolated_within_a_bucket() -> None:
    found = distribution((0, 0, 4), (0, 10, 4), (10, 20, 2))
    assert found is not None
    quantiles = [found.quantile(share) for share in (0, 0.2, 0.4, 0.6, 0.8, 0.9, 1)]
    assert quantiles == pytest.approx([0, 0, 0, 5, 10, 15, 20])


def test_the_finer_distribution_knows_the_tail() -> None:
    values = np.random.default_rng(0).lognormal(0, 1, 20_000)
    found = tfdv.generate_statistics_from_dataframe(pd.DataFrame({"a": values})).datasets[0]
    coarse, fine = read_distribution(found.features[0]), read_finer_distribution(found.features[0])
    assert coarse is not None
    assert fine is not None
    tail = [6.0, 10.0, 15.0]
    true = np.array([(values <= value).mean() for value in tail])
    assert [fine.at_most(value) for value in tail] == pytest.approx(true, abs=0.02)
    assert abs(np.array([coarse.at_most(value) for value in tail]) - true).max() > 0.03
    assert list(fine.shares) == sorted(fine.shares)
    deciles = [fine.at_most(value) for value in coarse.values]
    assert deciles == pytest.approx(list(coarse.shares)), "deciles stay as they are"


Buckets = tuple[tuple[float, float, float], ...]


def refine(deciles: Buckets, equal: Buckets) -> DistributionFunction:
    """Returns the finer distribution of a column with these two histograms of TFDV."""
    statistics = statistics_pb2.FeatureNameStatistics()
    histograms = statistics.num_stats.histograms
    for buckets, kind in (
        (deciles, statistics_pb2.Histogram.QUANTILES),
        (equal, statistics_pb2.Histogram.STANDARD),
    ):
        histogram = histograms.add(type=kind)
        for low, high, count in buckets:
            histogram.buckets.add(low_value=low, high_value=high, sample_count=count)
    found = read_finer_distribution(statistics)
    assert found is not None
    return found


def test_infinite_values_and_buckets_beyond_the_deciles_add_no_boundary() -> None:
    infinite = refine(((0, 1, 5), (1, math.inf, 5)), ((0, 0.5, 5), (0.5, 1, 5)))
    assert [*infinite.values] == [0, 1, math.inf]
    beyond = refine(((0, 1, 5), (1, 2, 5)), ((-1, -0.5, 5), (-0.5, 3, 5)))
    assert [*beyond.values] == [0, 1, 2]


def test_a_finer_share_stays_between_the_deciles_around_it() -> None:
    found = refine(((0, 10, 5), (10, 20, 5)), ((0, 4, 4), (4, 15, 0.5), (15, 20, 5.5)))
    assert [*found.values] == [0, 4, 10, 15, 20]
    assert [*found.shares] == pytest.approx([0, 0.4, 0.5, 0.5, 1])


def test_nothing_is_interpolated_beside_an_infinite_value() -> None:
    found = distribution((-math.inf, 0, 2), (0, 1, 2), (1, math.inf, 6))
    assert found is not None
    assert [found.at_most(value) for value in (-5, 0.5, 5)] == pytest.approx([0, 0.3, 0.4])
    assert [found.quantile(share) for share in (0.1, 0.3, 0.7)] == [0, pytest.approx(0.5), math.inf]


def test_a_frequent_value_has_all_the_quantiles_that_it_fills() -> None:
    found = distribution((0, 10, 2), (10, 10, 4), (10, 20, 4))
    assert found is not None
    quantiles = [found.quantile(share) for share in (0.1, 0.2, 0.4, 0.6, 0.8)]
    assert quantiles == pytest.approx([5, 10, 10, 10, 15])
