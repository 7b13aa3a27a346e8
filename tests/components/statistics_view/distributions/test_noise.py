"""What chance explains is compared with simulated samples."""

from __future__ import annotations

import numpy as np
import pytest

from components.statistics_view.distributions.noise import (
    divergence_noise,
    share_noise,
    unseen_noise,
)

N, M, ROUNDS = 400, 150, 4000


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (np.where(x > 0, x * np.log2(x / middle), 0) for x in (p, q))
        return sum(t.sum(axis=1) for t in terms) / 2  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def samples() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    shares = [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]
    return tuple(random.multinomial(n, shares, ROUNDS) / n for n in (N, M))


@pytest.mark.parametrize("probability", [0.1, 0.01])
def test_samples_exceed_the_divergence_as_often_as_given(
    samples: tuple, probability: float
) -> None:
    limit = divergence_noise(8, N, M, probability)
    exceeded = (divergence(*samples) > limit).mean()
    assert probability / 2 < exceeded < probability * 1.5


@pytest.mark.parametrize("probability", [0.1, 0.01])
def test_samples_exceed_the_share_at_most_as_often_as_given(
    samples: tuple, probability: float
) -> None:
    pooled = [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]
    distances = np.abs(samples[0] - samples[1]).max(axis=1)
    assert (distances > share_noise(pooled, N, M, probability)).mean() <= probability


def test_one_single_value_has_no_noise() -> None:
    assert divergence_noise(1, 10, 10, 0.001) == 0
    assert share_noise([1.0], 10, 10, 0.001) == 0


def test_chance_moves_two_bins() -> None:
    chi_square = 6.635  # The quantile of 99 % for one degree of freedom.
    expected = (1 / 400 + 1 / 100) / (8 * np.log(2)) * chi_square
    assert divergence_noise(2, 400, 100, 0.01) == pytest.approx(expected, rel=0.01)


def test_noise_vanishes_in_large_samples() -> None:
    assert divergence_noise(10, 10**6, 10**6, 1e-4) < 1e-4
    assert share_noise([0.5], 10**6, 10**6, 1e-4) < 0.01


def test_noise_is_at_most_one() -> None:
    assert divergence_noise(10, 1, 1, 1e-6) == 1
    assert share_noise([0.5], 1, 1, 1e-6) == 1


def test_unseen_values_have_at_most_three_in_n_rows() -> None:
    assert unseen_noise(300) == 0.01
    assert unseen_noise(2) == unseen_noise(0) == 1
