"""Compares predicted probabilities with the shares that were observed."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from components.model_figures.figures import Bin, Estimate
from components.predictions.terms import Array

_BINS = 10
_Z = NormalDist().inv_cdf(0.975)


def calibrate(predicted: Array, observed: Array) -> tuple[Bin, ...]:
    """Returns bins of about equally many rows, ascending by prediction; fewer if many are equal.

    Bins of equal width would hold hardly a row where most probabilities are small.

    Args:
      predicted: finite probabilities [n].
      observed: whether each row is what was predicted, bool [n].
    """
    if not len(predicted):
        return ()
    edges = np.quantile(predicted, np.linspace(0, 1, _BINS + 1))
    bins = np.searchsorted(edges[1:-1], predicted)
    counts = np.bincount(bins, minlength=_BINS)
    sums = np.bincount(bins, predicted, _BINS)
    hits = np.bincount(bins, observed, _BINS)
    return tuple(
        Bin(
            predicted=float(sums[i] / counts[i]),
            observed=estimate_share(int(hits[i]), int(counts[i])),
            examples=int(counts[i]),
        )
        for i in np.flatnonzero(counts)
    )


def estimate_share(hits: int, count: int) -> Estimate:
    """Returns the share of hits with Wilson's 95 % interval, which holds near 0 and 1, too."""
    share = hits / count
    scale = 1 + _Z**2 / count
    center = (share + _Z**2 / (2 * count)) / scale
    half = _Z / scale * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    return Estimate(share, max(0.0, center - half), min(1.0, center + half))
