"""Distances without TFDV are TFDV's distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv

from components.statistics_view.distributions.distances import measure_distances
from components.statistics_view.distributions.pairs import pair_columns

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
