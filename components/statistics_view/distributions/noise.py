"""Computes how far two samples of one distribution lie apart by chance.

A split of a small table never has exactly the shares of the last delivery. So the gate adds what
chance explains to the configured tolerance. Thus chance does not stop a run on two hundred rows,
and two million rows are held to the tolerance itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

FALSE_ALARMS = 1e-3
"""Share of runs on unchanged data that chance may stop, for drift, skew and missing values each.
A greater share stops more runs without a reason, a smaller share overlooks more changes."""


def divergence_noise(bins: int, n: float, m: float, probability: float) -> float:
    """Returns the Jensen-Shannon divergence that samples of n and m exceed with `probability`.

    The unit is bits. To second order, the divergence of two samples is 1 / (8 ln 2) times the sum
    of (p - q)^2 / ((p + q) / 2) over the bins. That sum over (1/n + 1/m) is Pearson's statistic of
    homogeneity, which is chi-square distributed with bins - 1 degrees of freedom.
    """
    if bins < 2:
        return 0.0
    scale = (1 / n + 1 / m) / (8 * math.log(2))
    return min(1.0, scale * _chi_square_quantile(bins - 1, 1 - probability))


def share_noise(shares: Sequence[float], n: float, m: float, probability: float) -> float:
    """Returns the difference in a share that chance alone exceeds with at most `probability`.

    Chance acts on two samples, of n and of m values, from one distribution with these shares. The
    bound holds for the largest difference among all shares. This is the two-sample test of
    proportions for the share with the greatest variance, with Bonferroni's correction for the
    number of shares.
    """
    if not shares:
        return 0.0
    z = NormalDist().inv_cdf(1 - probability / (2 * len(shares)))
    variance = max(share * (1 - share) for share in shares)
    return min(1.0, z * math.sqrt(variance * (1 / n + 1 / m)))


def unseen_noise(n: int) -> float:
    """Returns the greatest share that values may have if a sample of n contains none of them.

    This is the rule of three: with a greater share, 95 % of the samples would contain one.
    """
    return min(1.0, 3 / n) if n else 1.0


def _chi_square_quantile(degrees: int, probability: float) -> float:
    """Returns the quantile by Wilson and Hilferty's cube-root approximation, within 1 % here."""
    spread = 2 / (9 * degrees)
    z = NormalDist().inv_cdf(probability)
    return degrees * float(1 - spread + z * math.sqrt(spread)) ** 3
