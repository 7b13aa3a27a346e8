"""The figures of a regression, also of labels with heavy tails."""

from __future__ import annotations

import numpy as np

from components.model_figures.figures import Decile, Histogram, RegressionFigures
from components.predictions.terms import Array

_BINS = 40
_CELLS = 30
_OUTSIDE = 0.01
"""The share of rows on either side that the outermost bins take. One outlier in a thousand rows
would otherwise put all other rows into one bin."""
_QUANTILES = {"50 %": 0.5, "90 %": 0.9, "99 %": 0.99}


def describe_regression(labels: Array, predictions: Array) -> RegressionFigures:
    """Returns the figures of the rows whose prediction and label are finite, both [n].

    Raises:
      ValueError: there is no such row.
    """
    valid = np.isfinite(predictions) & np.isfinite(labels)
    if not valid.any():
        raise ValueError("no prediction is finite")
    y, p = labels[valid].astype(np.float64), predictions[valid].astype(np.float64)
    residuals = y - p
    edges = _choose_edges(np.concatenate([y, p]), _CELLS)
    cells = [np.clip(np.searchsorted(edges, v, "right") - 1, 0, len(edges) - 2) for v in (y, p)]
    counts = np.zeros((len(edges) - 1,) * 2, np.int64)
    np.add.at(counts, tuple(cells), 1)
    return RegressionFigures(
        residuals=_count(residuals),
        edges=tuple(edges.tolist()),
        predicted_against_true=tuple(map(tuple, counts.tolist())),
        deciles=_describe_deciles(y, p),
        absolute_error_quantiles={
            name: float(np.quantile(np.abs(residuals), share)) for name, share in _QUANTILES.items()
        },
    )


def _count(residuals: Array) -> Histogram:
    edges = _choose_edges(residuals, _BINS)
    counts, _ = np.histogram(np.clip(residuals, edges[0], edges[-1]), edges)
    return Histogram(tuple(edges.tolist()), {"all": tuple(counts.tolist())})


def _choose_edges(values: Array, bins: int) -> Array:
    low, high = np.quantile(values, (_OUTSIDE, 1 - _OUTSIDE))
    edges: Array = np.unique(np.linspace(low, high, bins + 1))
    if len(edges) < 2:
        half = max(0.5, abs(low) * 1e-3)
        edges = np.array([low - half, low + half])
    return edges


def _describe_deciles(y: Array, p: Array) -> tuple[Decile, ...]:
    order = np.argsort(p, kind="stable")
    return tuple(
        Decile(
            predicted=float(p[rows].mean()),
            label=float(y[rows].mean()),
            mean_absolute_error=float(np.abs(y[rows] - p[rows]).mean()),
            examples=len(rows),
        )
        for rows in np.array_split(order, 10)
        if len(rows)
    )
