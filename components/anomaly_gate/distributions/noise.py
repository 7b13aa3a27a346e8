"""How far two samples of the same distribution lie apart by chance.

A split of a small table never has exactly the shares of the last one. The gate adds what chance
explains to the configured tolerance, so that two hundred rows do not stop a run and two million
rows are held to the tolerance itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

FALSE_ALARMS = 1e-3
"""The share of runs on unchanged data in which chance may exceed its allowance at all."""


def divergence_noise(bins: int, n: float, m: float, probability: float) -> float:
    """The Jensen-Shannon divergence, in bits, that samples of n and m exceed with `probability`.

    To second order the divergence of two samples is 1 / (8 ln 2) times the sum of
    (p - q)^2 / ((p + q) / 2) over the bins, and that sum over (1/n + 1/m) is Pearson's statistic of
    homogeneity, chi-square distributed with bins - 1 degrees of freedom.
    """
    if bins < 2:
        return 0.0
    scale = (1 / n + 1 / m) / (8 * math.log(2))
    return min(1.0, scale * _chi_square_quantile(bins - 1, 1 - probability))


def share_noise(shares: Sequence[float], n: float, m: float, probability: float) -> float:
    """The greatest difference of `shares` that samples of n and m exceed with `probability`.

    The two-sample test of proportions, at the most variable of the shares, with Bonferroni's
    correction for looking at all of them.
    """
    if not shares:
        return 0.0
    z = NormalDist().inv_cdf(1 - probability / (2 * len(shares)))
    variance = max(share * (1 - share) for share in shares)
    return min(1.0, z * math.sqrt(variance * (1 / n + 1 / m)))


def unseen_noise(n: int) -> float:
    """The share that values may have of which a sample of n has shown none.

    The rule of three: with a greater share, 95 % of such samples would have shown one.
    """
    return min(1.0, 3 / n) if n else 1.0


def _chi_square_quantile(degrees: int, probability: float) -> float:
    """By Wilson and Hilferty's cube-root approximation, within 1 % here."""
    spread = 2 / (9 * degrees)
    z = NormalDist().inv_cdf(probability)
    return degrees * float(1 - spread + z * math.sqrt(spread)) ** 3
