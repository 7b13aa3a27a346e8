"""All figures of small models; what fails is a note."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tiny_served import CLASSES, KIND, SIZE, load, make_cells, make_predictions, make_settings

from components.model_figures import make
from components.model_figures.make import FigureInputs, make_model_figures
from components.model_figures.sensitivity.served_function import ServedFunction
from pipeline.config import Task

TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")
ROWS = 300


def make_inputs(directory: Path, task: Task, rows: int = ROWS, **changes: Any) -> FigureInputs:
    """Returns inputs of a model that predicts well, with a slice by kind."""
    function = load(directory, task)
    cells = make_cells(rows)
    candidate = function.predict(function.to_values(cells))
    random = np.random.default_rng(1)
    if task == "regression":
        labels = candidate + random.normal(size=rows)
    elif task == "binary":
        labels = (random.random(rows) < candidate).astype(np.int64)
    else:
        labels = (candidate.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1).clip(0, 2)
    slices = {KIND: cells[KIND].combine_chunks().cast(pa.large_string()).cast(pa.string())}
    predictions = make_predictions(task, labels, candidate, changes.pop("served", None), slices)

    def read_cells(columns: Sequence[str], numbers: np.ndarray) -> pa.Table:
        assert (np.diff(numbers) > 0).all()
        return cells.select(columns).take(pa.array(numbers))

    settings = changes.pop("settings", make_settings(task, evaluation={"slices": [[KIND]]}))
    inputs = FigureInputs(predictions, settings, read_cells, lambda: function, "7")
    return dataclasses.replace(inputs, **changes)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_figures(task: Task, tmp_path: Path) -> None:
    figures = make_model_figures(make_inputs(tmp_path, task))
    assert figures.notes == ()
    described = {t: getattr(figures, t) is not None for t in TASKS}
    assert described == {t: t == task for t in TASKS}
    assert (figures.task, figures.classes, figures.examples) == (task, CLASSES[task], ROWS)
    assert figures.baseline is None
    assert {i.column for i in figures.importance[:2]} == {SIZE, KIND}
    assert len(figures.dependence) == 4
    assert figures.importance_examples == ROWS
    assert len(figures.slices) == 3
    assert len(figures.wrong_rows) == 20
    losses = [row.loss for row in figures.wrong_rows]
    assert losses == sorted(losses, reverse=True)
    assert all(len(row.cells) == 4 for row in figures.wrong_rows)


def test_the_cells_belong_to_their_row(tmp_path: Path) -> None:
    figures = make_model_figures(make_inputs(tmp_path, "binary"))
    sizes = make_cells(ROWS)[SIZE].to_pylist()
    for row in figures.wrong_rows:
        assert row.cells[SIZE] == str(np.float32(sizes[row.row]))


def test_the_columns_that_identify_a_row_come_first(tmp_path: Path) -> None:
    """An order's number leads back to the row; a colour that many rows share does not."""
    inputs = make_inputs(tmp_path, "binary", others=("colour", "order"))

    def read_cells(columns: Sequence[str], numbers: np.ndarray) -> pa.Table:
        table = make_cells(ROWS).take(pa.array(numbers))
        table = table.append_column("order", pa.array(numbers + 1000))
        return table.append_column("colour", pa.array([b"red"] * len(numbers))).select(columns)

    figures = make_model_figures(dataclasses.replace(inputs, read_cells=read_cells))
    for row in figures.wrong_rows:
        assert list(row.cells) == ["order", *inputs.settings.kinds]
        assert row.cells["order"] == str(row.row + 1000)


def test_a_column_of_several_values_does_not_cost_the_wrong_rows(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "binary", others=("tags",))

    def read_cells(columns: Sequence[str], numbers: np.ndarray) -> pa.Table:
        if "tags" in columns:
            raise ValueError("column 'tags' has rows of several values")
        return inputs.read_cells(columns, numbers)

    figures = make_model_figures(dataclasses.replace(inputs, read_cells=read_cells))
    assert figures.notes == ()
    assert list(figures.wrong_rows[0].cells) == list(inputs.settings.kinds)


def test_cells_can_be_switched_off(tmp_path: Path) -> None:
    settings = make_settings("binary", rows=False)
    figures = make_model_figures(make_inputs(tmp_path, "binary", settings=settings))
    assert len(figures.wrong_rows) == 20
    assert all(row.cells == {} for row in figures.wrong_rows)


def test_the_served_model_is_named_if_it_was_compared_with(tmp_path: Path) -> None:
    served = np.full(ROWS, 0.5)
    figures = make_model_figures(make_inputs(tmp_path, "binary", served=served))
    assert figures.baseline == "7"
    assert all(m.served is not None for m in figures.metrics)


def test_a_model_that_cannot_be_loaded_is_a_note(tmp_path: Path) -> None:
    def broken() -> ServedFunction:
        return ServedFunction(str(tmp_path / "nothing"), "probability")

    figures = make_model_figures(make_inputs(tmp_path, "binary", load_function=broken))
    assert len(figures.notes) == 1
    assert "what the model looks at could not be made" in figures.notes[0]
    assert figures.importance == figures.dependence == ()
    assert figures.binary is not None
    assert figures.metrics


def test_a_model_that_predicts_otherwise_than_the_evaluator_is_a_note(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "regression")
    shifted = dataclasses.replace(inputs.predictions, candidate=inputs.predictions.candidate + 1)
    figures = make_model_figures(dataclasses.replace(inputs, predictions=shifted))
    assert "does not repeat the Evaluator's predictions" in figures.notes[0]


def test_one_column_that_fails_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = make.measure_dependence

    def broken(function: Any, values: Any, column: str, *arguments: Any) -> Any:
        if column == KIND:
            raise ValueError("broken")
        return real(function, values, column, *arguments)

    monkeypatch.setattr(make, "measure_dependence", broken)
    figures = make_model_figures(make_inputs(tmp_path, "binary"))
    assert figures.notes == (
        r"the partial dependence on 'kind\n🚕' could not be made: ValueError: broken",
    )
    assert len(figures.dependence) == 3


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("rows", [1, 2])
def test_one_or_two_rows_have_figures(task: Task, rows: int, tmp_path: Path) -> None:
    figures = make_model_figures(make_inputs(tmp_path, task, rows))
    assert figures.notes == ()
    assert figures.examples == rows
    assert figures.slices == ()


def test_predictions_that_are_not_finite_leave_the_other_rows(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "binary")
    candidate = inputs.predictions.candidate.copy()
    candidate[:7] = np.nan
    predictions = dataclasses.replace(inputs.predictions, candidate=candidate)
    figures = make_model_figures(dataclasses.replace(inputs, predictions=predictions))
    assert figures.notes == ()
    assert figures.importance_examples == ROWS - 7
    assert sum(b.examples for b in figures.binary.calibration) == ROWS - 7
    assert all(m.candidate.value is None for m in figures.metrics)


def test_a_sample_of_the_rows_is_a_note(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "binary")
    predictions = dataclasses.replace(inputs.predictions, total=1_000_000)
    figures = make_model_figures(dataclasses.replace(inputs, predictions=predictions))
    assert figures.examples == 1_000_000
    assert figures.notes == (
        "The figures about the model come from a random sample of 300 of the 1,000,000 rows.",
    )


def test_no_finite_prediction_leaves_nothing_to_look_at(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "binary")
    candidate = np.full(ROWS, np.nan, np.float32)
    predictions = dataclasses.replace(inputs.predictions, candidate=candidate)
    figures = make_model_figures(dataclasses.replace(inputs, predictions=predictions))
    assert figures.notes == ()
    assert figures.importance == figures.wrong_rows == ()


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_alone_has_figures(tmp_path: Path, label: int) -> None:
    inputs = make_inputs(tmp_path, "binary")
    predictions = dataclasses.replace(inputs.predictions, labels=np.full(ROWS, label))
    figures = make_model_figures(dataclasses.replace(inputs, predictions=predictions))
    assert figures.notes == ()
    assert figures.binary.roc.x == ()


def test_an_outlier_of_1e30_leaves_a_regression_readable(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, "regression")
    labels = inputs.predictions.labels.copy()
    labels[5] = 1e30
    predictions = dataclasses.replace(inputs.predictions, labels=labels)
    figures = make_model_figures(dataclasses.replace(inputs, predictions=predictions))
    assert figures.notes == ()
    assert figures.wrong_rows[0].row == 5
    assert {i.column for i in figures.importance[:2]} == {SIZE, KIND}
