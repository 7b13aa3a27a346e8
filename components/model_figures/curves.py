"""ROC and precision-recall curves, with as many points as a page can show."""

from __future__ import annotations

import numpy as np

from components.model_figures.figures import Curve
from components.predictions.terms import Array

_MOST_POINTS = 200
"""A curve of 400 pixels shows no more."""
NO_CURVE = Curve((), ())


def roc_curve(positive: Array, scores: Array) -> Curve:
    """Returns the true positive rate over the false positive rate.

    The curve has no points if one of the classes does not occur.

    Args:
      positive: whether each row is of the positive class, bool [n].
      scores: finite [n].
    """
    true, false = _count_from_above(positive, scores)
    if not len(true) or not true[-1] or not false[-1]:
        return NO_CURVE
    return _thin(np.append(0, false) / false[-1], np.append(0, true) / true[-1])


def precision_recall_curve(positive: Array, scores: Array) -> Curve:
    """Returns the precision over the recall; no points without a positive row. See `roc_curve`."""
    true, false = _count_from_above(positive, scores)
    if not len(true) or not true[-1]:
        return NO_CURVE
    return _thin(true / true[-1], true / (true + false))


def _count_from_above(positive: Array, scores: Array) -> tuple[Array, Array]:
    """Returns positives and negatives that score at least each distinct score, highest first."""
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.diff(scores[order], append=np.nan) != 0)
    true = np.cumsum(positive[order])[last]
    return true, last + 1 - true


def _thin(x: Array, y: Array) -> Curve:
    """Returns points that are evenly spread along the curve, both ends among them."""
    if len(x) > _MOST_POINTS:
        length = np.cumsum(np.abs(np.diff(x, prepend=x[0])) + np.abs(np.diff(y, prepend=y[0])))
        wanted = np.linspace(0, length[-1], _MOST_POINTS)
        chosen = np.unique(np.searchsorted(length, wanted).clip(0, len(x) - 1))
        chosen = np.unique(np.append(chosen, (0, len(x) - 1)))
        x, y = x[chosen], y[chosen]
    return Curve(tuple(x.tolist()), tuple(y.tolist()))
