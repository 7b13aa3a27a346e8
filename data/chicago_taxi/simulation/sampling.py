"""Random draws of the simulation, vectorized over a block of trips."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def cumulative(weights: ArrayLike) -> Floats:
    """Turn weights into cumulative shares along the last axis."""
    sums = np.cumsum(np.asarray(weights, dtype=np.float64), axis=-1)
    return np.asarray(sums / sums[..., -1:])


def pick(shares: Floats, uniform: Floats) -> Ints:
    """Index of the share each uniform number falls into."""
    return np.searchsorted(shares, uniform, side="right").astype(np.int64)


def pick_by_row(shares: Floats, row: Ints, uniform: Floats) -> Ints:
    """Like `pick`, but every draw has its own row of shares."""
    rows, columns = shares.shape
    # Row r covers the interval [r, r + 1), so one search serves all rows at once.
    flat = (shares + np.arange(rows)[:, None]).ravel()
    index = np.searchsorted(flat, uniform + row, side="right") - row * columns
    # A uniform just below 1 can round up into the next row.
    return np.asarray(np.minimum(index, columns - 1), dtype=np.int64)


def spread(rng: np.random.Generator, size: int, sigma: float) -> Floats:
    """Log-normal factors around 1, for durations, detours and generosity."""
    return np.asarray(np.exp(sigma * rng.standard_normal(size)))


def logistic(score: Floats) -> Floats:
    """Map a score to a probability."""
    return np.asarray(1.0 / (1.0 + np.exp(-score)))


def decide(rng: np.random.Generator, probability: Floats) -> Bools:
    """One independent yes or no for every probability."""
    return np.asarray(rng.random(probability.shape[0]) < probability)
