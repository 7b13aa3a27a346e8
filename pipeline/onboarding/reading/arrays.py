"""The kinds of numpy arrays that guesses are made with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[Any]
"""Positions of rows, or a flag for each."""


def ranks_of(values: Floats) -> Floats:
    """float64 [values]: each value's place in ascending order, from 1; ties share their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def skewness_of(values: Floats) -> float:
    """How far the values lean to one side; 0 for a normal distribution, 2 for an exponential."""
    deviations = values - values.mean()
    spread = np.sqrt((deviations**2).mean())
    return float((deviations**3).mean() / spread**3) if spread > 0 else 0.0


def signed_log(values: Floats) -> Floats:
    """sign(x) log(1 + |x|), as the scale `log` of a numeric feature takes it."""
    logarithms: Floats = np.sign(values) * np.log1p(np.abs(values))
    return logarithms
