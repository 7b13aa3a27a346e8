"""The rows whose answer changed between two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from components.predictions.table import Predictions
from components.predictions.terms import THRESHOLD, Array, describe_number
from pipeline.report.comparison import ChangedRow, CommonRows
from pipeline.runners.comparing.common_rows import RowPairs
from pipeline.runners.comparing.pair import Pair

_MOST = 20
"""Changed rows that the page shows."""
_NOTABLE = 0.1
"""The share of the labels' standard deviation by which a number must differ to be another answer.
At half of it, nearly every row of a model that was trained again counts; at twice, few do."""
_LONGEST = 1000
"""Characters of a cell."""


@dataclass(frozen=True)
class _Answers:
    """The answers of both models to the same rows."""

    names: Pair[list[str]]
    """As the page shows them."""
    sizes: Array
    """How far the answers lie apart, float64 [n]."""
    changed: Array
    """bool [n]"""
    right: Pair[Array] | None
    """Whether each model is right, bool [n]; None in a regression."""


def compare_answers(
    models: Pair[Predictions], pairs: RowPairs, cells: pa.Table | None
) -> CommonRows:
    """Returns the common rows and those whose answer changed.

    Args:
      models: the predictions of the common rows, in the same order.
      cells: the cells of the later run's split; None if they must not be shown.
    """
    is_regression = models.after.task == "regression"
    answers = _read_numbers(models) if is_regression else _read_classes(models)
    changed, right = np.flatnonzero(answers.changed), answers.right
    largest = changed[np.argsort(-answers.sizes[changed], kind="stable")][:_MOST]
    return CommonRows(
        rows_before=models.before.total,
        rows_after=models.after.total,
        common=len(pairs.after),
        columns=pairs.columns,
        relabelled=pairs.relabelled,
        changed=len(changed),
        became_right=_count_gained(right),
        became_wrong=_count_gained(
            answers.right and Pair(answers.right.after, answers.right.before)
        ),
        changed_rows=tuple(_show(i, answers, models, pairs, cells) for i in map(int, largest)),
    )


def _read_classes(models: Pair[Predictions]) -> _Answers:
    chosen = models.map(lambda model: _choose_class(model.candidate))
    before, after = models.map(lambda model: model.candidate.astype(np.float64))
    distances = np.abs(after - before)
    classes, labels = models.after.classes, models.after.labels
    return _Answers(
        names=chosen.map(lambda indices: [classes[i] for i in indices]),
        sizes=distances if distances.ndim == 1 else distances.max(axis=1),
        changed=chosen.before != chosen.after,
        right=chosen.map(lambda indices: indices == labels),
    )


def _choose_class(probabilities: Array) -> Array:
    """Returns the index of the most probable class, int64 [n]."""
    is_binary = probabilities.ndim == 1
    chosen: Array = probabilities >= THRESHOLD if is_binary else probabilities.argmax(axis=1)
    return chosen.astype(np.int64)


def _read_numbers(models: Pair[Predictions]) -> _Answers:
    numbers = models.map(lambda model: model.candidate.astype(np.float64))
    sizes = np.abs(numbers.after - numbers.before)
    return _Answers(
        names=numbers.map(lambda column: [describe_number(number) for number in column]),
        sizes=sizes,
        changed=sizes > _NOTABLE * np.std(models.after.labels),
        right=None,
    )


def _count_gained(right: Pair[Array] | None) -> int | None:
    """Returns how many rows only the second model answers right; None in a regression."""
    return int((right.after & ~right.before).sum()) if right else None


def _show(
    index: int,
    answers: _Answers,
    models: Pair[Predictions],
    pairs: RowPairs,
    cells: pa.Table | None,
) -> ChangedRow:
    row = int(pairs.after[index])
    labels = models.map(lambda model: _name_label(model.labels[index], model.classes))
    return ChangedRow(
        row_before=int(pairs.before[index]),
        row_after=row,
        label=labels.after,
        label_before=labels.before,
        answer_before=answers.names.before[index],
        answer_after=answers.names.after[index],
        size=float(answers.sizes[index]),
        cells={} if cells is None else _read_cells(cells, row),
    )


def _name_label(label: float, classes: Sequence[str]) -> str:
    if not classes:
        return describe_number(label)
    return classes[int(label)] if label >= 0 else ""


def _read_cells(cells: pa.Table, row: int) -> Mapping[str, str]:
    """Returns the cells of a row that are not missing."""
    values = {name: cells[name][row].as_py() for name in cells.column_names}
    return {
        name: describe_number(value) if isinstance(value, float) else str(value)[:_LONGEST]
        for name, value in values.items()
        if value is not None
    }
