"""Decides whether an export is good enough, from its predictions on the evaluated split.

An export passes if it meets every bound of the section `evaluation` as the model itself has to, and
if no metric of the whole split is worse than the model's by more than `may_worsen_by`. Metrics of a
single class count only where a threshold names them: with few rows of a class, one row that crosses
the border moves them far.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from components.predictions.gaps.gaps_file import explain_gap
from components.predictions.gaps.judging import measure_gaps
from components.predictions.metrics import metrics
from components.predictions.slices import group_slices
from components.predictions.table import Predictions, write_part
from components.predictions.terms import Array
from pipeline.config import METRICS, EvaluationConfig, LabelConfig, Threshold
from pipeline.config.sections.metrics import metric_name

_Values = Mapping[str, float]


@dataclass(frozen=True)
class Judge:
    """Judges the predictions of exports of one model."""

    table: Predictions
    """The Evaluator's table: the model's predictions of all rows of the split."""
    label: LabelConfig
    evaluation: EvaluationConfig

    def measure(self, scores: Array, rows: Array | None = None) -> dict[str, float]:
        """Returns the metrics of predictions of all rows, or of some rows."""
        table, chosen = self.table, slice(None) if rows is None else rows
        return metrics(table.labels[chosen], scores[chosen], table.task, table.classes)

    def explain_failures(self, scores: Array, may_worsen_by: float) -> list[str]:
        """Returns a sentence for each bound that the predictions miss; none if they pass.

        Args:
          scores: the export's predictions of all rows, as `Predictions.candidate`.
          may_worsen_by: the key of the export.
        """
        if scores.shape != self.table.candidate.shape:
            return [f"the export returns shape {scores.shape}, not {self.table.candidate.shape}"]
        if not np.isfinite(scores).all():
            return ["the export returns predictions that are NaN or infinite"]
        return [
            *_find_worse(self.measure(self.table.candidate), self.measure(scores), may_worsen_by),
            *(s for bound in self.evaluation.thresholds for s in self._miss(bound, scores)),
            *self._find_gaps(scores),
        ]

    def _miss(self, bound: Threshold, scores: Array) -> Iterator[str]:
        """Yields a sentence for each slice and class on which the predictions miss the bound."""
        for where, rows in self._groups(bound.slice_by):
            values = self.measure(scores, rows)
            served = None
            if self.table.served is not None:
                served = self.measure(self.table.served, rows)
            for class_name in bound.classes(self.label.classes):
                name = metric_name(bound.metric, class_name)
                subject = f"{name} on {where or 'the whole split'}"
                yield from _miss_absolute(bound, subject, values[name])
                if served is not None and bound.may_worsen_by is not None:
                    loss = _worsening(bound.metric, served[name], values[name])
                    if not loss <= bound.may_worsen_by:
                        yield (
                            f"{subject} is worse than the served model's by {loss:.4g}, "
                            f"{bound.may_worsen_by:.4g} is allowed"
                        )

    def _groups(self, columns: tuple[str, ...]) -> Iterator[tuple[str, Array | None]]:
        """Yields the slices that count, or the whole split under an empty name."""
        if not columns:
            yield "", None
            return
        for name, rows in group_slices(self.table.slices, columns):
            if len(rows) >= self.evaluation.min_slice_size:
                yield name, rows

    def _find_gaps(self, scores: Array) -> Iterator[str]:
        limits = self.evaluation.gaps
        if not limits:
            return
        values = {
            name: self.measure(scores, rows)
            for columns in {limit.slice_by for limit in limits}
            for name, rows in self._groups(columns)
        }
        with tempfile.TemporaryDirectory(prefix="export-") as directory:
            self._write(replace(self.table, candidate=scores), directory)
            least = self.evaluation.min_slice_size
            gaps = measure_gaps(directory, values, limits, self.label, least)
        yield from (explain_gap(gap) for gap in gaps if not gap.passed)

    def _write(self, table: Predictions, directory: str) -> None:
        write_part(
            directory,
            self.label,
            table.split,
            table.rows,
            table.labels,
            table.candidate,
            None,
            table.slices,
        )


def _find_worse(model: _Values, export: _Values, allowed: float) -> Iterator[str]:
    for name, value in model.items():
        if name not in METRICS or METRICS[name].higher_is_better is None or math.isnan(value):
            continue
        loss, unit = _worsening(name, value, export[name]), ""
        if METRICS[name].high == math.inf:
            loss, unit = loss / value if value else loss, " of its value"
        if not loss <= allowed:
            yield (
                f"{name} is {export[name]:.4g}, the model's is {value:.4g}: worse by "
                f"{loss:.2g}{unit}, {allowed:.4g} is allowed"
            )


def _worsening(metric: str, before: float, after: float) -> float:
    """Returns by how much the metric worsened, negative if it improved; NaN if undefined."""
    return before - after if METRICS[metric].higher_is_better else after - before


def _miss_absolute(bound: Threshold, subject: str, value: float) -> Iterator[str]:
    if math.isnan(value):
        yield f"{subject} cannot be computed"
    elif bound.at_least is not None and value < bound.at_least:
        yield f"{subject} is {value:.4g}, at least {bound.at_least:.4g} was asked for"
    elif bound.at_most is not None and value > bound.at_most:
        yield f"{subject} is {value:.4g}, at most {bound.at_most:.4g} was asked for"
