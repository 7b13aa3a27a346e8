"""The predictions of two models for the rows that both runs evaluated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import pyarrow as pa

from components.predictions.table import Predictions, read_predictions
from pipeline.core.contracts import ArtifactType, Node
from pipeline.core.text import message_of
from pipeline.runners.comparing.common_rows import RowPairs, Rows, match_rows, read_cells
from pipeline.runners.comparing.inputs import NotComparableError, RunInputs
from pipeline.runners.comparing.pair import Pair

_FEWEST = 30
"""Common rows below which intervals say nothing; the runs are then compared unpaired."""


@dataclass(frozen=True)
class CommonPredictions:
    """The predictions of both models for the common rows, and the cells of the later run."""

    models: Pair[Predictions]
    rows: RowPairs
    cells: pa.Table
    """All rows of the later run's evaluated split."""


def find_common_predictions(runs: Pair[RunInputs]) -> CommonPredictions:
    """Returns the predictions of both models for the common rows.

    Raises:
      NotComparableError: the files of a run are gone or damaged, the models answer with other
        classes, or the runs have too few rows in common.
    """
    try:
        return _read(runs)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise NotComparableError(message_of(error)) from error


def _read(runs: Pair[RunInputs]) -> CommonPredictions:
    models = runs.map(
        lambda run: read_predictions(run.require(Node.EVALUATOR, ArtifactType.PREDICTIONS))
    )
    if not models.map(lambda model: (model.task, model.classes)).is_equal():
        raise NotComparableError("the labels of the runs have other classes, or another task")
    cells = Pair(*(_read_cells(*side) for side in zip(runs, models, strict=True)))
    label = runs.after.label or runs.before.label
    rows = match_rows(cells, models.map(lambda model: model.labels), label)
    if len(rows.after) < _FEWEST:
        raise NotComparableError(f"the evaluated splits have {len(rows.after)} rows in common")
    common = Pair(_take(models.before, rows.before), _take(models.after, rows.after))
    return CommonPredictions(common, rows, cells.after)


def _read_cells(run: RunInputs, model: Predictions) -> pa.Table:
    return read_cells(run.require(Node.EXAMPLE_GEN, ArtifactType.EXAMPLES), model.split)


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
