"""Distances of places agree with known ones and with float64."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from trainer_module.encoding.distances import measure_distance

BERLIN, PARIS, SYDNEY = (52.52, 13.405), (48.8566, 2.3522), (-33.8688, 151.2093)


def measure(one: tuple[float, float], other: tuple[float, float]) -> float:
    degrees = (tf.constant([[d]], tf.float32) for d in (*one, *other))
    (found,) = measure_distance(*degrees).numpy().ravel()
    return float(found)


@pytest.mark.parametrize(
    ("one", "other", "km"),
    [
        (BERLIN, PARIS, 878),
        (BERLIN, SYDNEY, 16_090),
        ((0.0, 179.5), (0.0, -179.5), 111.2),
        ((90.0, 10.0), (-90.0, -150.0), 20_015),
    ],
)
def test_known_distances(one: tuple[float, float], other: tuple[float, float], km: float) -> None:
    assert measure(one, other) == pytest.approx(km, rel=0.002)
    assert measure(other, one) == pytest.approx(km, rel=0.002)


def test_places_nearby_are_accurate_to_a_metre() -> None:
    kilometres = 2 * np.pi * 6371.0 / 360 * (41.8900 - 41.8801)
    assert measure((41.8801, -87.63), (41.8900, -87.63)) == pytest.approx(kilometres, abs=1e-3)
    assert measure(BERLIN, BERLIN) == 0


def test_a_missing_degree_gives_a_missing_distance() -> None:
    assert np.isnan(measure(BERLIN, (float("nan"), 2.0)))
    assert np.isnan(measure((52.0, float("nan")), PARIS))


def test_degrees_that_are_none_give_a_number() -> None:
    assert np.isfinite(measure((100.0, 10.0), (80.0, 190.0)))
