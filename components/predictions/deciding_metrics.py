"""The metrics that decide, with intervals: a file in the Evaluator's ModelEvaluation.

The push history takes the metrics of a pushed model from this file, without TensorFlow Model
Analysis.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from components.predictions.bootstrap import bootstrap
from components.predictions.estimates import Estimate
from components.predictions.table import read_predictions
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import is_remote, write_bytes_atomically

_MOST_ROWS = 20_000
_MOST_SCORES = 2_000_000
_REPLICATES = 200
"""From so many rows and replicates, the width of an interval is known to a tenth, in under half a
second."""


@dataclass(frozen=True)
class DecidingMetrics:
    """The metrics with a threshold on the whole evaluated split."""

    split: str
    examples: int
    allowed: Mapping[str, float | None]
    """By metric: `may_worsen_by`; None without one."""
    candidate: Mapping[str, Estimate]
    served: Mapping[str, Estimate] | None
    """The served model's on the same rows; None without one."""


_DECIDING = TypeAdapter(DecidingMetrics)
Values = Mapping[str, float]


def measure_deciding_metrics(
    table: str, allowed: Mapping[str, float | None], candidate: Values, served: Values
) -> DecidingMetrics:
    """Returns the metrics with intervals.

    Args:
      table: the directory of the table of predictions.
      allowed: see `DecidingMetrics.allowed`; names the metrics.
      candidate: the Evaluator's metrics of the whole split.
      served: those of the served model; empty without one.
    """
    sample = read_predictions(table, at_most=_MOST_ROWS)
    if sample.candidate.size > _MOST_SCORES:
        sample = read_predictions(table, at_most=_MOST_SCORES // sample.candidate.shape[-1])
    found = bootstrap(sample, replicates=_REPLICATES)
    # The intervals of a sample are wider than those of all rows.
    scale = (len(sample.rows) / max(sample.total, 1)) ** 0.5
    return DecidingMetrics(
        split=sample.split,
        examples=sample.total,
        allowed=allowed,
        candidate=_move(candidate, found.candidate, allowed, scale),
        served=_move(served, found.served, allowed, scale) if found.served and served else None,
    )


def _move(
    values: Values, estimates: Mapping[str, Estimate], names: Mapping[str, object], scale: float
) -> dict[str, Estimate]:
    """Returns the values of all rows with the intervals of a sample."""
    return {
        name: _center(values[name], estimates[name], scale)
        for name in names
        if name in values and name in estimates
    }


def _center(value: float, sampled: Estimate, scale: float) -> Estimate:
    if value != value:
        return Estimate(None, None, None)
    if sampled.value is None or sampled.low is None or sampled.high is None:
        return Estimate(value, None, None)
    low, high = (scale * (end - sampled.value) for end in (sampled.low, sampled.high))
    return Estimate(value, value + low, value + high)


def write_deciding_metrics(evaluation: str, metrics: DecidingMetrics) -> None:
    """Writes the metrics to the directory of the ModelEvaluation."""
    path = os.path.join(evaluation, ArtifactFile.DECIDING_METRICS)
    write_bytes_atomically(path, _DECIDING.dump_json(metrics, indent=1), durable=False)


def read_deciding_metrics(evaluation: str) -> DecidingMetrics | None:
    """Returns the metrics.

    None for an evaluation by an earlier version of this project, and for one that is out of reach.
    """
    path = os.path.join(evaluation, ArtifactFile.DECIDING_METRICS)
    if is_remote(path):
        return None
    try:
        with open(path, "rb") as file:
            return _DECIDING.validate_json(file.read())
    except (OSError, ValidationError):
        return None
