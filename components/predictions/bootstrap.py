"""95 % intervals of metrics by the bootstrap over rows.

Each replicate draws as many rows as there are, with replacement, and computes every metric from
them. The interval reaches from the 2.5 % to the 97.5 % quantile of the replicates: the percentile
interval of Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13. Both models
are computed from the same draws, so that the interval of their difference is that of paired rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.predictions.estimates import Estimate
from components.predictions.metrics import make_weighted_metrics, metrics
from components.predictions.support import add_support, count_support, widen_differences
from components.predictions.table import Predictions
from components.predictions.terms import Array

_TAILS = (0.025, 0.975)
_LEAST_DEFINED = 0.9
"""The least share of replicates in which a metric must have a value. It has none in a replicate
without rows of its class."""
_CHUNK_CELLS = 1 << 21
"""The weights that are in memory at once: 16 MB."""


@dataclass(frozen=True)
class Intervals:
    """The metrics of some rows, by name."""

    examples: int
    """The rows."""
    bootstrap_examples: int
    """The rows from which the intervals come: all of them, or a sample."""
    candidate: Mapping[str, Estimate]
    served: Mapping[str, Estimate] | None
    """None without a served model."""
    difference: Mapping[str, Estimate] | None
    """Candidate minus served model, from the same replicates (a paired bootstrap)."""


def bootstrap(
    predictions: Predictions,
    rows: Array | None = None,
    *,
    replicates: int = 500,
    seed: int = 0,
    most_rows: int = 50_000,
) -> Intervals:
    """Returns every metric with its interval.

    The value comes from all rows. The interval of a share of 0 or 1 is that of Wilson, since a
    bootstrap has none (see `support.py`). An interval has no ends if more than a tenth of the
    replicates has no value, such as the recall of a class of two rows.

    Args:
      predictions: the table.
      rows: indices into the arrays of `predictions` [n], such as a slice; None for all.
      replicates: how many times the rows are drawn anew.
      seed: draws the rows.
      most_rows: the most rows to draw from. Of more rows, a random sample is taken, and the
        intervals are made narrower by the square root of the ratio.
    """
    rows = np.arange(len(predictions.labels)) if rows is None else rows
    random = np.random.default_rng(seed)
    drawn = rows
    if len(rows) > most_rows:
        drawn = np.sort(random.choice(rows, most_rows, replace=False, shuffle=False))
    models = [predictions.candidate]
    if predictions.served is not None:
        models.append(predictions.served)
    replicated = replicate(predictions, models, drawn, replicates, random)
    candidate, *served = [
        draws if drawn is rows else draws.moved_to(_compute(predictions, model, rows), len(rows))
        for model, draws in zip(models, replicated, strict=True)
    ]
    estimates = [
        add_support(draws.estimate(), _count_support(predictions, model, rows))
        for model, draws in zip(models, (candidate, *served), strict=True)
    ]
    return Intervals(
        len(rows),
        len(drawn),
        estimates[0],
        estimates[1] if served else None,
        widen_differences((candidate - served[0]).estimate(), *estimates) if served else None,
    )


@dataclass(frozen=True)
class Replicates:
    """The metrics of some rows, and of the replicates that were drawn from them."""

    examples: int
    names: Sequence[str]
    values: Array
    """The metrics of the rows, [metrics]."""
    draws: Array
    """The metrics of each replicate, [replicates, metrics]."""

    def moved_to(self, values: Mapping[str, float], examples: int) -> Replicates:
        """Returns the replicates of more rows, of which these rows are a sample.

        A metric spreads as the square root of the number of rows falls.
        """
        target = np.array([values[name] for name in self.names])
        scale = np.sqrt(self.examples / examples)
        return Replicates(examples, self.names, target, target + (self.draws - self.values) * scale)

    def __sub__(self, other: Replicates) -> Replicates:
        return Replicates(
            self.examples, self.names, self.values - other.values, self.draws - other.draws
        )

    def estimate(self) -> dict[str, Estimate]:
        """Returns each metric with its interval."""
        low, high = _without_warnings(np.nanquantile, self.draws, _TAILS)
        rare = np.isfinite(self.draws).mean(axis=0) < _LEAST_DEFINED
        ends = np.where(rare, np.nan, low), np.where(rare, np.nan, high)
        columns = zip(self.names, self.values, *ends, strict=True)
        return {
            name: Estimate(_finite_or_none(value), _finite_or_none(first), _finite_or_none(last))
            for name, value, first, last in columns
        }

    def standard_errors(self) -> Array:
        """Returns the standard deviation of each metric over its defined replicates, [metrics]."""
        errors: Array = _without_warnings(np.nanstd, self.draws)
        return errors


def replicate(
    predictions: Predictions,
    models: Sequence[Array],
    rows: Array,
    replicates: int,
    random: np.random.Generator,
) -> list[Replicates]:
    """Returns the replicates of each model: all models see the same draws.

    Args:
      predictions: the labels, the task and the classes.
      models: the predictions of each model, as `Predictions.candidate`.
      rows: indices of the rows to draw from, [n].
      replicates: the number of draws.
      random: draws the rows.
    """
    given = [
        (predictions.labels[rows], model[rows], predictions.task, predictions.classes)
        for model in models
    ]
    weighted = [make_weighted_metrics(*rows_of_model) for rows_of_model in given]
    draws: list[list[Array]] = [[] for _ in models]
    for weights in _draw_weights(len(rows), replicates, random):
        for function, found in zip(weighted, draws, strict=True):
            found.append(np.stack([*function(weights).values()], axis=1))
    result = []
    for rows_of_model, found in zip(given, draws, strict=True):
        values = metrics(*rows_of_model)
        names, numbers = list(values), np.array([*values.values()])
        result.append(Replicates(len(rows), names, numbers, np.concatenate(found)))
    return result


def _draw_weights(rows: int, replicates: int, random: np.random.Generator) -> Iterator[Array]:
    """Yields how often each row is drawn, float64 [some replicates, rows]."""
    chunk = max(_CHUNK_CELLS // max(rows, 1), 1)
    for start in range(0, replicates, chunk):
        count = min(chunk, replicates - start)
        places = random.integers(0, rows, (count, rows)) if rows else np.empty((count, 0), int)
        places += rows * np.arange(count)[:, np.newaxis]
        drawn = np.bincount(places.ravel(), minlength=count * rows)
        yield drawn.reshape(count, rows).astype(np.float64)


def _compute(predictions: Predictions, model: Array, rows: Array) -> dict[str, float]:
    return metrics(predictions.labels[rows], model[rows], predictions.task, predictions.classes)


def _count_support(predictions: Predictions, model: Array, rows: Array) -> dict[str, int]:
    return count_support(
        predictions.labels[rows], model[rows], predictions.task, predictions.classes
    )


def _finite_or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _without_warnings(function: Any, draws: Array, *arguments: Any) -> Any:
    """Returns the function of each column; NaN for a column without values, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return function(draws, *arguments, axis=0)
