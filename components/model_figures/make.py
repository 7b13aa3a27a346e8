"""Makes all figures about the model. A figure that fails becomes a note."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.model_figures.binary import describe_binary
from components.model_figures.figures import (
    BinaryFigures,
    Dependence,
    Gap,
    Importance,
    ModelFigures,
    MulticlassFigures,
    RegressionFigures,
    WrongRow,
)
from components.model_figures.losses import LOSS_NAMES, row_losses
from components.model_figures.metrics import describe_metrics, describe_slices
from components.model_figures.multiclass import describe_multiclass
from components.model_figures.regression import describe_regression
from components.model_figures.sensitivity.dependence import (
    MOST_COLUMNS,
    choose_dependence_rows,
    choose_outputs,
    measure_dependence,
    measure_time_dependence,
)
from components.model_figures.sensitivity.importance import (
    MOST_ROWS,
    Subject,
    affordable_rows,
    measure_importance,
)
from components.model_figures.sensitivity.served_function import ServedFunction, measure_width
from components.model_figures.settings import FigureSettings
from components.model_figures.wrong_rows import describe_wrong_rows, find_wrong_rows
from components.predictions.bootstrap import bootstrap
from components.predictions.table import Predictions
from components.predictions.terms import Array
from components.run_figures.notes import Notes

ReadCells = Callable[[Sequence[str], Array], pa.Table]
"""Takes columns and ascending row numbers of the evaluated split; returns the raw cells."""
_MOST_KEYS = 3
"""Columns that identify a wrong row: more would push the features out of sight."""
_Described = BinaryFigures | MulticlassFigures | RegressionFigures
_SAME = 1e-3
"""How far a prediction may differ from the Evaluator's: batches of other sizes round otherwise."""


@dataclass(frozen=True)
class FigureInputs:
    """What the figures are made from."""

    predictions: Predictions
    settings: FigureSettings
    read_cells: ReadCells
    load_function: Callable[[], ServedFunction]
    baseline: str | None
    """The version of the served model."""
    gaps: tuple[Gap, ...] = ()
    others: tuple[str, ...] = ()
    """Columns of the table that are neither features nor the label, and may identify a row."""
    notes: Notes = field(default_factory=Notes)

    @cached_property
    def losses(self) -> Array:
        """The loss of each row of `predictions`, [n]."""
        p = self.predictions
        return row_losses(p.task, p.labels, p.candidate)


def make_empty_predictions(settings: FigureSettings) -> Predictions:
    """Returns a table without rows, from which nothing but empty figures can be made."""
    label, nothing = settings.label, np.empty(0, np.int64)
    scores = np.empty((0, len(label.classes)) if label.task == "multiclass" else 0, np.float32)
    slices = {column: pa.array([], pa.string()) for names in settings.slicings for column in names}
    return Predictions(
        task=label.task,
        classes=label.classes,
        split=settings.evaluation.split,
        rows=nothing,
        labels=nothing,
        candidate=scores,
        served=None,
        slices=slices,
        total=0,
    )


def make_model_figures(inputs: FigureInputs) -> ModelFigures:
    """Returns the figures, and a note for each figure that could not be made."""
    predictions, settings, attempt = inputs.predictions, inputs.settings, inputs.notes.attempt
    if 0 < len(predictions.rows) < predictions.total:
        inputs.notes.add(
            f"The figures about the model come from a random sample of {len(predictions.rows):,} "
            f"of the {predictions.total:,} rows."
        )
    intervals = attempt("the intervals of the metrics", lambda: bootstrap(predictions), None)
    described = attempt("the figures of the task", lambda: describe_task(predictions), None)
    looks = attempt("what the model looks at", lambda: _look_at(inputs), _NOTHING)
    return ModelFigures(
        task=predictions.task,
        classes=predictions.classes,
        split=predictions.split,
        examples=predictions.total,
        bootstrap_examples=intervals.bootstrap_examples if intervals else 0,
        baseline=inputs.baseline if predictions.served is not None else None,
        metrics=attempt(
            "the metrics",
            lambda: describe_metrics(predictions, intervals, settings) if intervals else (),
            (),
        ),
        slices=attempt("the slices", lambda: describe_slices(predictions, settings), ()),
        gaps=inputs.gaps,
        binary=described if isinstance(described, BinaryFigures) else None,
        multiclass=described if isinstance(described, MulticlassFigures) else None,
        regression=described if isinstance(described, RegressionFigures) else None,
        wrong_rows=attempt("the most wrong rows", lambda: _find_wrong_rows(inputs), ()),
        loss=LOSS_NAMES[predictions.task],
        importance=looks.importance,
        importance_examples=looks.rows,
        dependence=looks.dependence,
        notes=inputs.notes.sentences,
    )


def describe_task(predictions: Predictions) -> _Described:
    """Returns the figures of the task."""
    p = predictions
    if p.task == "binary":
        return describe_binary(p.labels, p.candidate, p.served, p.classes)
    if p.task == "multiclass":
        return describe_multiclass(p.labels, p.candidate, p.classes)
    return describe_regression(p.labels, p.candidate)


def _find_wrong_rows(inputs: FigureInputs) -> tuple[WrongRow, ...]:
    indices = find_wrong_rows(inputs.losses)
    cells = None
    if inputs.settings.rows and len(indices):
        ascending = np.argsort(indices)
        numbers = inputs.predictions.rows[indices[ascending]]
        table = _read_row_cells(inputs, numbers)
        cells = table.take(pa.array(np.argsort(ascending)))
    return describe_wrong_rows(inputs.predictions, inputs.losses, indices, cells)


def _read_row_cells(inputs: FigureInputs, numbers: Array) -> pa.Table:
    """Returns the cells of some rows: first what identifies the rows, then the features.

    A column that is no feature, such as an order's number, leads back to the row in the user's
    table if no two of the rows share a value.
    """
    features = list(inputs.settings.kinds)
    try:
        table = inputs.read_cells([*inputs.others, *features], numbers)
    except ValueError:
        # A column that is no feature may hold several values.
        return inputs.read_cells(features, numbers)
    keys = [name for name in inputs.others if pc.count_distinct(table[name]).as_py() == len(table)]
    return table.select([*keys[:_MOST_KEYS], *features])


@dataclass(frozen=True)
class _Looks:
    importance: tuple[Importance, ...] = ()
    rows: int = 0
    dependence: tuple[Dependence, ...] = ()


_NOTHING = _Looks()


def _look_at(inputs: FigureInputs) -> _Looks:
    """Returns importance and dependence, from rows that are spread evenly over the split."""
    function = inputs.load_function()
    usable = np.flatnonzero(np.isfinite(inputs.losses))
    chosen = usable[_spread(len(usable), MOST_ROWS)]
    if not len(chosen):
        return _NOTHING
    table = inputs.read_cells(list(function.dtypes), inputs.predictions.rows[chosen])
    values = function.to_values(table)
    subject = _make_subject(inputs, function, values, chosen)
    importance = inputs.notes.attempt(
        "the importance of the columns", lambda: measure_importance(subject), ()
    )
    return _Looks(
        importance, len(subject.losses), _measure_dependences(inputs, subject, importance)
    )


def _make_subject(
    inputs: FigureInputs, function: ServedFunction, values: Mapping[str, Array], chosen: Array
) -> Subject:
    places = _spread(len(chosen), affordable_rows(values, len(chosen)))
    chosen = chosen[places]
    values = {name: cells[places] for name, cells in values.items()}
    p = inputs.predictions
    labels = p.labels[chosen]
    again = function.predict(values)
    if not np.allclose(again, p.candidate[chosen], rtol=_SAME, atol=_SAME):
        raise ValueError("the served signature does not repeat the Evaluator's predictions")
    return Subject(
        function=function,
        values=values,
        kinds=inputs.settings.kinds,
        losses=inputs.losses[chosen],
        measure_loss=functools.partial(row_losses, p.task, labels),
    )


def _measure_dependences(
    inputs: FigureInputs, subject: Subject, importance: Sequence[Importance]
) -> tuple[Dependence, ...]:
    rows = choose_dependence_rows(measure_width(subject.values), len(subject.losses))
    places = _spread(len(subject.losses), rows)
    values = {name: cells[places] for name, cells in subject.values.items()}
    p, settings = inputs.predictions, inputs.settings
    outputs = choose_outputs(p.task, p.classes, p.labels)

    def measure(column: str) -> tuple[Dependence, ...]:
        kind, form = settings.kinds.get(column, ""), settings.time_formats.get(column, "")
        if kind == "timestamp":
            parts = settings.time_parts.get(column, ())
            return measure_time_dependence(subject.function, values, column, form, parts, outputs)
        return (measure_dependence(subject.function, values, column, kind, form, outputs),)

    found = (
        inputs.notes.attempt(
            f"the partial dependence on '{column}'", functools.partial(measure, column), ()
        )
        for column in [i.column for i in importance[:MOST_COLUMNS]]
    )
    return tuple(itertools.chain.from_iterable(found))


def _spread(count: int, wanted: int) -> Array:
    """Returns ascending indices, at most `wanted`, spread evenly over `count` rows."""
    places = np.linspace(0, max(count - 1, 0), min(count, wanted))
    return np.unique(places.astype(np.int64))
