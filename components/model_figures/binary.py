"""The figures of a binary classification."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.model_figures.calibration import calibrate
from components.model_figures.curves import precision_recall_curve, roc_curve
from components.model_figures.figures import BinaryFigures, Histogram, ThresholdRow
from components.predictions.terms import Array

_SCORE_BINS = 40
_THRESHOLDS = np.arange(1, 100) / 100
_RARE = (0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Quantiles of the scores that are thresholds, too: a rare class may never score above 0.01."""


def describe_binary(
    labels: Array, candidate: Array, served: Array | None, classes: Sequence[str]
) -> BinaryFigures:
    """Returns the figures of the rows whose prediction is finite.

    Args:
      labels: 0 or 1 [n]; other rows are left out.
      candidate: probabilities of the positive class [n].
      served: those of the served model [n], or None.
      classes: the negative class, and the positive class.
    """
    positive, scores = _keep_valid(labels, candidate)
    reference = _keep_valid(labels, served) if served is not None else None
    return BinaryFigures(
        roc=roc_curve(positive, scores),
        served_roc=roc_curve(*reference) if reference else None,
        precision_recall=precision_recall_curve(positive, scores),
        served_precision_recall=precision_recall_curve(*reference) if reference else None,
        calibration=calibrate(scores, positive),
        scores=_count_scores(positive, scores, classes),
        thresholds=_count_by_threshold(positive, scores),
    )


def _keep_valid(labels: Array, scores: Array) -> tuple[Array, Array]:
    valid = np.isfinite(scores) & (labels >= 0)
    return labels[valid] > 0, scores[valid].astype(np.float64)


def _count_scores(positive: Array, scores: Array, classes: Sequence[str]) -> Histogram:
    edges = np.linspace(0, 1, _SCORE_BINS + 1)
    counts = {
        name: tuple(np.histogram(scores[positive == bool(index)], edges)[0].tolist())
        for index, name in enumerate(classes)
    }
    return Histogram(tuple(edges.tolist()), counts)


def _count_by_threshold(positive: Array, scores: Array) -> tuple[ThresholdRow, ...]:
    found = np.quantile(scores, _RARE) if len(scores) else np.empty(0)
    rare = [float(f"{score:.3g}") for score in found if 0 < score < _THRESHOLDS[0]]
    thresholds = np.unique([*rare, *_THRESHOLDS])
    above, below = _count_sides(scores[positive], thresholds)
    wrongly_above, rightly_below = _count_sides(scores[~positive], thresholds)
    columns = (thresholds, above, wrongly_above, below, rightly_below)
    return tuple(
        ThresholdRow(threshold, *counts)
        for threshold, *counts in zip(*(c.tolist() for c in columns), strict=True)
    )


def _count_sides(scores: Array, thresholds: Array) -> tuple[Array, Array]:
    """Returns how many scores reach each threshold, and how many lie below it."""
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return len(scores) - below, below
