"""Compares two runs; a part that cannot be compared becomes a note."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from google.protobuf.message import DecodeError

from components.predictions.table import Predictions, read_predictions
from pipeline.core.contracts import ArtifactType, Node
from pipeline.core.text import message_of
from pipeline.report.comparison import (
    ColumnChange,
    CommonRows,
    Comparison,
    MetricChange,
    SliceChange,
)
from pipeline.report.content import Report
from pipeline.runners.comparing.answers import compare_answers
from pipeline.runners.comparing.changes import (
    describe_table,
    flatten_configuration,
    list_changes,
)
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.common_rows import RowPairs, Rows, match_rows, read_cells
from pipeline.runners.comparing.data import compare_columns, read_train_statistics
from pipeline.runners.comparing.inputs import RunInputs
from pipeline.runners.comparing.metrics import compare_paired, compare_slices, compare_unpaired

_FORMAT = 1
_FEWEST = 30
"""Common rows below which intervals say nothing; the runs are then compared unpaired."""


class _NotComparableError(Exception):
    """Why a part of the runs cannot be compared, in one sentence."""


@dataclass(frozen=True)
class _Pairs:
    """The predictions of both models for the common rows, and the cells of the later run."""

    before: Predictions
    after: Predictions
    rows: RowPairs
    cells: pa.Table


def compare(before: ChosenRun, after: ChosenRun) -> Comparison:
    """Returns the comparison of two runs.

    Raises:
      ConfigError: the metadata file of a run cannot be used.
    """
    first, second = RunInputs.read(before), RunInputs.read(after)
    notes: list[str] = []
    columns = _compare_data(first, second, notes)
    metric = _choose_metric(second.report) or _choose_metric(first.report)
    labels = [run.label for run in (first, second) if run.label is not None]
    if len(set(labels)) > 1:
        pairs, metrics, slices, rows = None, (), (), None
        headline = f"The runs predict different columns: {' and '.join(map(repr, labels))}."
        notes.append("The models are not compared, because the runs predict different columns.")
    else:
        pairs = _find_pairs(first, second, notes)
        metrics, slices, rows = _compare_models(first, second, pairs, metric)
        headline = _describe(metric, metrics)
    one, two = first.report.lineage, second.report.lineage
    texts = [flatten_configuration(lineage.configuration) for lineage in (one, two)]
    if not all(texts):
        notes.append("An earlier version made one of the runs: its configuration is not recorded.")
    return Comparison(
        format=_FORMAT,
        before=first.side,
        after=second.side,
        headline=headline,
        configuration=list_changes(*texts) if all(texts) else (),
        code=list_changes(one.code_digests, two.code_digests),
        versions=list_changes(one.versions, two.versions),
        data=list_changes(
            *(describe_table(run.report.lineage, run.side.rows) for run in (first, second))
        ),
        columns=columns,
        metric=metric,
        metrics=metrics,
        paired=pairs is not None,
        slices=slices,
        rows=rows,
        notes=tuple(notes),
    )


def _compare_models(
    first: RunInputs, second: RunInputs, pairs: _Pairs | None, metric: str | None
) -> tuple[tuple[MetricChange, ...], tuple[SliceChange, ...], CommonRows | None]:
    if pairs is None:
        return compare_unpaired(first.report, second.report), (), None
    slices = compare_slices(pairs.before, pairs.after, metric, second.least_slice) if metric else ()
    shows_cells = first.shows_rows and second.shows_rows
    rows = compare_answers(
        pairs.before, pairs.after, pairs.rows, pairs.cells if shows_cells else None
    )
    return compare_paired(pairs.before, pairs.after), slices, rows


def _compare_data(
    first: RunInputs, second: RunInputs, notes: list[str]
) -> tuple[ColumnChange, ...]:
    try:
        statistics = [
            read_train_statistics(_find(run, Node.STATISTICS_GEN, ArtifactType.STATISTICS))
            for run in (first, second)
        ]
    except _NotComparableError as error:
        notes.append(f"The training data is not compared: {error}.")
        return ()
    except (OSError, DecodeError, IndexError) as error:
        notes.append(f"The training data is not compared: {message_of(error)}.")
        return ()
    return compare_columns(statistics[0], statistics[1], second.validation)


def _find_pairs(first: RunInputs, second: RunInputs, notes: list[str]) -> _Pairs | None:
    """Returns the common rows with both predictions, or None and a note why there are none."""
    try:
        return _read_pairs(first, second)
    except _NotComparableError as error:
        cause = str(error)
    except (OSError, ValueError, pa.ArrowException) as error:
        cause = message_of(error)
    notes.append(f"The models are not compared on common rows, but each on its own rows: {cause}.")
    return None


def _read_pairs(first: RunInputs, second: RunInputs) -> _Pairs:
    before, after = (
        read_predictions(_find(run, Node.EVALUATOR, ArtifactType.PREDICTIONS))
        for run in (first, second)
    )
    if (before.task, before.classes) != (after.task, after.classes):
        raise _NotComparableError("the labels of the runs have other classes, or another task")
    cells = [
        read_cells(_find(run, Node.EXAMPLE_GEN, ArtifactType.EXAMPLES), predictions.split)
        for run, predictions in ((first, before), (second, after))
    ]
    rows = match_rows(*cells)
    if len(rows.after) < _FEWEST:
        raise _NotComparableError(f"the evaluated splits have {len(rows.after)} rows in common")
    return _Pairs(_take(before, rows.before), _take(after, rows.after), rows, cells[1])


def _find(run: RunInputs, producer: str, type_: str) -> str:
    uri = run.find(producer, type_)
    if uri is None:
        raise _NotComparableError(f"run {run.report.run} has no artifact {type_} of the {producer}")
    return uri


def _take(predictions: Predictions, rows: Rows) -> Predictions:
    """Returns the predictions of some rows, in their order."""
    return dataclasses.replace(
        predictions,
        rows=predictions.rows[rows],
        labels=predictions.labels[rows],
        candidate=predictions.candidate[rows],
        served=None,
        slices={name: cells.take(pa.array(rows)) for name, cells in predictions.slices.items()},
    )


def _choose_metric(report: Report) -> str | None:
    """Returns the first metric with a threshold on the whole split, else the first metric."""
    rows = report.quality.metrics if report.quality else ()
    names = [row.name for row in rows if row.bound] + [r.name for r in rows if r.name != "examples"]
    return names[0] if names else None


def _describe(metric: str | None, metrics: Sequence[MetricChange]) -> str:
    """Returns the result by the metric that decides."""
    change = next((c for c in metrics if c.name == metric), None)
    if change is None or change.difference.value is None:
        return "The runs have no metric in common."
    value, low, high = (change.difference.value, change.difference.low, change.difference.high)
    if not value:
        return f"{change.name} is the same."
    size = f"{change.name} {'rose' if value > 0 else 'fell'} by {abs(value):.4g}"
    if low is None or high is None:
        return f"{size}; whether that is chance is unknown."
    words = "the second model is better" if change.is_better else "the second model is worse"
    if low <= 0 <= high:
        words = "chance explains that"
    elif change.is_better is None:
        words = "more than chance explains"
    return f"{size} (95 %: {low:+.4g} to {high:+.4g}): {words}."
