"""95 % intervals of metrics by the bootstrap over rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.predictions.estimates import Estimate
from components.predictions.table import Predictions
from components.predictions.terms import Array


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

    Args:
      predictions: the table.
      rows: indices into the arrays of `predictions` [n], such as a slice; None for all.
      replicates: how many times the rows are drawn anew.
      seed: draws the rows.
      most_rows: the most rows to draw from; of more rows, a random sample is taken, and the
        interval is scaled to the number of all rows.
    """
    raise NotImplementedError
