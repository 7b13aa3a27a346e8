"""Distances without TFDV are TFDV's distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import statistics_pb2

from components.statistics_view.distributions.distances import measure_distances
from components.statistics_view.distributions.noise import divergence_noise, share_noise
from components.statistics_view.distributions.pairs import Pair, pair_columns

RANDOM = np.random.default_rng(3)
ROWS = 2000
THRESHOLDS = {
    "shifted": {"jensen_shannon_divergence": 0.1},
    "heavy": {"jensen_shannon_divergence": 0.1},
    "zeros": {"jensen_shannon_divergence": 0.1},
    "new value": {"infinity_norm": 0.1},
    "names": {"infinity_norm": 0.1},
}


def table(shift: float, color: str) -> pd.DataFrame:
    missing = RANDOM.random(ROWS) < 0.2
    return pd.DataFrame(
        {
            "shifted": np.where(missing, np.nan, RANDOM.normal(shift, 1, ROWS)),
            "heavy": RANDOM.lognormal(shift, 2, ROWS),
            "zeros": RANDOM.integers(0, 9, ROWS) * (RANDOM.random(ROWS) < 0.1 + shift),
            "new value": np.where(missing, None, RANDOM.choice(["red", color, "blue"], ROWS)),
            "names": [f"name {i}" for i in RANDOM.integers(0, 900, ROWS)],
            "absent before" if shift else "absent now": np.ones(ROWS),
        }
    )


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_distances_are_those_of_tfdv(shift: float) -> None:
    now, before = (
        tfdv.generate_statistics_from_dataframe(frame).datasets[0]
        for frame in (table(shift, "violet"), table(0.0, "green"))
    )
    pairs = {pair.name: pair for pair in pair_columns(now, before, THRESHOLDS)}
    found = {d.column: d for d in measure_distances(now, before, THRESHOLDS, 1e-3)}
    assert set(pairs) == set(found) == set(THRESHOLDS)
    for name, distance in found.items():
        assert pairs[name].distance(distance.measure) == pytest.approx(distance.value, abs=1e-6)
        # The five columns share the probability of a false alarm.
        allowance = pairs[name].allowance(distance.measure, 1e-3 / 5)
        assert (distance.allowance, distance.limit) == (allowance, 0.1 + allowance)


def test_the_allowance_is_that_of_the_pooled_shares_and_both_sizes() -> None:
    nothing = statistics_pb2.FeatureNameStatistics()
    # The third bin is empty, the second one has as many rows in both samples.
    pair = Pair("a", nothing, nothing, ([30, 10, 0, 60], [20, 10, 0, 30]))
    expected = divergence_noise(3, 100, 60, 0.01)
    assert pair.allowance("jensen_shannon_divergence", 0.01) == expected
    shares = [50 / 160, 20 / 160, 90 / 160]
    assert pair.allowance("infinity_norm", 0.01) == share_noise(shares, 100, 60, 0.01)


def test_a_single_column_has_the_whole_probability_of_a_false_alarm() -> None:
    split = tfdv.generate_statistics_from_dataframe(pd.DataFrame({"a": range(50)})).datasets[0]
    threshold = {"a": THRESHOLDS["heavy"]}
    (pair,), (found,) = (
        pair_columns(split, split, threshold),
        measure_distances(split, split, threshold, 1e-3),
    )
    assert found.allowance == pair.allowance("jensen_shannon_divergence", 1e-3)


def test_columns_after_one_that_is_not_compared_are_paired() -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "a": [1.0, 2.0], "b": ["u", "v"]})
    split = tfdv.generate_statistics_from_dataframe(frame).datasets[0]
    assert [pair.name for pair in pair_columns(split, split, ("a", "b"))] == ["a", "b"]


def test_columns_without_values_or_of_other_types_have_no_partner() -> None:
    full = pd.DataFrame({"kind": ["u"] * 5, "text": ["u"] * 5})
    other = pd.DataFrame({"kind": [1.0] * 5, "text": [None] * 5})
    splits = [tfdv.generate_statistics_from_dataframe(f).datasets[0] for f in (full, other)]
    splits[1].features[1].CopyFrom(splits[0].features[1])
    splits[1].features[1].string_stats.Clear()
    splits[1].features[1].string_stats.common_stats.num_missing = 5
    for now, before in (splits, splits[::-1]):
        assert [*pair_columns(now, before, ("kind", "text"))] == []


def test_nan_is_no_value_of_a_sample() -> None:
    split = tfdv.generate_statistics_from_dataframe(pd.DataFrame({"a": range(50)})).datasets[0]
    empty = statistics_pb2.DatasetFeatureStatistics()
    empty.CopyFrom(split)
    del empty.features[0].num_stats.histograms[:]
    for now, before in ((split, empty), (empty, split)):
        assert [*pair_columns(now, before, ("a",))] == []
    split.features[0].num_stats.histograms[0].num_nan = 20
    (pair,) = pair_columns(split, split, ("a",))
    assert [sum(counts) for counts in pair.counts] == pytest.approx([30, 30])
