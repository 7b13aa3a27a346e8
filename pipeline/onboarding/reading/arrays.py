"""Types of numpy arrays, and the statistics that several modules compute on them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def ranks_of(values: Floats) -> Floats:
    """Returns float64 [values]: ascending ranks from 1; tied values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def skewness_of(values: Floats) -> float:
    """Returns the skewness: 0 for a normal distribution, 2 for an exponential, 0 for constants."""
    deviations = values - values.mean()
    spread = np.sqrt((deviations**2).mean())
    return float((deviations**3).mean() / spread**3) if spread > 0 else 0.0


def signed_log(values: Floats) -> Floats:
    """Returns sign(x) * log(1 + |x|), the transform of the scale `log` of a numeric feature."""
    logarithms: Floats = np.sign(values) * np.log1p(np.abs(values))
    return logarithms


def inverse_signed_log(logarithms: Floats) -> Floats:
    """Returns the values whose `signed_log` is given."""
    values: Floats = np.sign(logarithms) * np.expm1(np.abs(logarithms))
    return values
