"""The importance of columns whose influence is known."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from tiny_served import CODE, IDLE, KIND, KINDS, SIZE, load, make_cells

from components.model_figures.losses import row_losses
from components.model_figures.sensitivity import importance
from components.model_figures.sensitivity.importance import (
    Subject,
    choose_repeats,
    choose_row_count,
    measure_importance,
)


def make_subject(directory: Path, rows: int = 2000) -> Subject:
    """A regression without errors: the labels are the predictions."""
    function = load(directory, "regression")
    values = function.to_values(make_cells(rows))
    labels = function.predict(values).astype(float)
    loss = functools.partial(row_losses, "regression", labels)
    return Subject(function, values, KINDS, np.zeros(rows), loss)


def test_the_loss_rises_by_what_a_column_tells(tmp_path: Path) -> None:
    found = measure_importance(make_subject(tmp_path))
    assert [i.column for i in found[:2]] == [SIZE, KIND]
    by_name = {i.column: i for i in found}
    # The mean distance of two normal numbers, and the mean absolute normal number.
    assert by_name[SIZE].permuted.value == pytest.approx(2 / np.sqrt(np.pi), abs=0.05)
    assert by_name[SIZE].missing == pytest.approx(np.sqrt(2 / np.pi), abs=0.05)
    yes = 0.45
    assert by_name[KIND].permuted.value == pytest.approx(4 * yes * (1 - yes), abs=0.05)
    assert by_name[KIND].missing == by_name[KIND].unknown == pytest.approx(2 * yes, abs=0.05)
    for name in (IDLE, CODE):
        assert by_name[name].permuted.value == pytest.approx(0, abs=1e-6)
    assert by_name[SIZE].unknown is None
    assert by_name[CODE].unknown == pytest.approx(0, abs=1e-6)
    size = by_name[SIZE].permuted
    assert size.low < 2 / np.sqrt(np.pi) < size.high


def test_the_importance_equals_that_of_scikit_learn(tmp_path: Path) -> None:
    subject = make_subject(tmp_path, 500)
    size, idle = subject.values[SIZE], np.nan_to_num(subject.values[IDLE])

    class Model:
        def fit(self) -> None: ...

        def predict(self, x: np.ndarray) -> np.ndarray:
            return x[:, 0] + 0 * x[:, 1]

    labels = size.astype(float)
    theirs = permutation_importance(
        Model(), np.stack([size, idle], 1), labels, scoring="neg_mean_absolute_error", n_repeats=50
    )
    ours = {i.column: i.permuted for i in measure_importance(subject)}
    assert ours[SIZE].low < theirs.importances_mean[0] < ours[SIZE].high
    assert ours[IDLE].value == pytest.approx(theirs.importances_mean[1], abs=1e-6)


def test_of_many_columns_only_the_most_important_ones_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importance, "_MOST_REMOVED", 1)
    found = measure_importance(make_subject(tmp_path, 100))
    assert [i.missing is not None for i in found] == [True, False, False, False]


def test_one_row_has_no_interval(tmp_path: Path) -> None:
    found = measure_importance(make_subject(tmp_path, 1))
    assert {(i.permuted.value, i.permuted.low) for i in found} == {(0.0, None)}


def test_wide_tables_get_fewer_rows_and_repeats() -> None:
    assert [choose_repeats(columns) for columns in (1, 20, 50, 500)] == [5, 5, 2, 1]
    assert choose_row_count(14, 14, 100_000) == importance.MOST_ROWS
    assert choose_row_count(14, 14, 7) == 7
    assert choose_row_count(500, 500, 100_000) == 100
    long_texts = choose_row_count(14, 2000, 100_000)
    assert 100 <= long_texts < 1000
