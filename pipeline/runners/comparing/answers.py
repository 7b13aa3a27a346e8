"""The rows whose answer changed between two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from components.predictions.table import Predictions
from components.predictions.terms import Array
from pipeline.report.comparison import ChangedRow, CommonRows
from pipeline.runners.comparing.common_rows import RowPairs

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

    names: tuple[list[str], list[str]]
    """As the page shows them, before and after."""
    sizes: Array
    """How far the answers lie apart, float64 [n]."""
    changed: Array
    """bool [n]"""
    right: tuple[Array, Array] | None
    """Whether each model is right, bool [n]; None in a regression."""


def compare_answers(
    before: Predictions, after: Predictions, pairs: RowPairs, cells: pa.Table | None
) -> CommonRows:
    """Returns the common rows and those whose answer changed.

    Args:
      before: the earlier model's predictions of the common rows.
      after: the later model's predictions of the same rows, in the same order.
      cells: the cells of the later run's split; None if they must not be shown.
    """
    answers = (
        _read_numbers(before, after) if after.task == "regression" else _read_classes(before, after)
    )
    changed = np.flatnonzero(answers.changed)
    largest = changed[np.argsort(-answers.sizes[changed], kind="stable")][:_MOST]
    return CommonRows(
        rows_before=before.total,
        rows_after=after.total,
        common=len(pairs.after),
        columns=pairs.columns,
        changed=len(changed),
        became_right=_count_only(answers, 1),
        became_wrong=_count_only(answers, 0),
        changed_rows=tuple(_show(i, answers, after, pairs, cells) for i in map(int, largest)),
    )


def _read_classes(before: Predictions, after: Predictions) -> _Answers:
    chosen = [_choose_class(p.candidate) for p in (before, after)]
    gaps = np.abs(after.candidate.astype(np.float64) - before.candidate)
    right = [choice == after.labels for choice in chosen]
    return _Answers(
        names=tuple([after.classes[i] for i in choice] for choice in chosen),  # type: ignore[arg-type]
        sizes=gaps if gaps.ndim == 1 else gaps.max(axis=1),
        changed=chosen[0] != chosen[1],
        right=(right[0], right[1]),
    )


def _choose_class(probabilities: Array) -> Array:
    """Returns the index of the most probable class, int64 [n]."""
    is_binary = probabilities.ndim == 1
    chosen: Array = probabilities > 0.5 if is_binary else probabilities.argmax(axis=1)
    return chosen.astype(np.int64)


def _read_numbers(before: Predictions, after: Predictions) -> _Answers:
    numbers = [p.candidate.astype(np.float64) for p in (before, after)]
    sizes = np.abs(numbers[1] - numbers[0])
    return _Answers(
        names=tuple([f"{number:.6g}" for number in column] for column in numbers),  # type: ignore[arg-type]
        sizes=sizes,
        changed=sizes > _NOTABLE * np.std(after.labels),
        right=None,
    )


def _count_only(answers: _Answers, model: int) -> int | None:
    """Returns how many rows only one of the models answers right."""
    if answers.right is None:
        return None
    return int((answers.right[model] & ~answers.right[1 - model]).sum())


def _show(
    index: int, answers: _Answers, after: Predictions, pairs: RowPairs, cells: pa.Table | None
) -> ChangedRow:
    row = int(pairs.after[index])
    return ChangedRow(
        row_before=int(pairs.before[index]),
        row_after=row,
        label=_name_label(after.labels[index], after.classes),
        answer_before=answers.names[0][index],
        answer_after=answers.names[1][index],
        size=float(answers.sizes[index]),
        cells={} if cells is None else _read_cells(cells, row),
    )


def _name_label(label: float, classes: Sequence[str]) -> str:
    if not classes:
        return f"{label:.6g}"
    return classes[int(label)] if label >= 0 else ""


def _read_cells(cells: pa.Table, row: int) -> Mapping[str, str]:
    """Returns the cells of a row that are not missing."""
    values = {name: cells[name][row].as_py() for name in cells.column_names}
    return {
        # Examples hold float32: more digits than seven would show how it rounds.
        name: f"{value:.7g}" if isinstance(value, float) else str(value)[:_LONGEST]
        for name, value in values.items()
        if value is not None
    }
