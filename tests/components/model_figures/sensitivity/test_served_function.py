"""The served signature is asked about changed rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_served import CODE, IDLE, KIND, NO_CODE, SIZE, load, make_cells

from components.model_figures.sensitivity import served_function
from components.model_figures.sensitivity.served_function import measure_width


@pytest.mark.parametrize("cells_of_a_call", [4_000_000, 50])
def test_each_change_is_predicted_by_itself(
    tmp_path: Path, cells_of_a_call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_function, "_MOST_CELLS", cells_of_a_call)
    function = load(tmp_path, "regression")
    values = function.to_values(make_cells(8))
    base = function.predict(values)
    changes = [
        (SIZE, values[SIZE] + 1),
        (KIND, np.full(8, b"yes", object)),
        (IDLE, np.zeros(8, np.float32)),
    ]
    found = function.predict_changes(values, changes)
    assert found.shape == (3, 8)
    assert found[0] == pytest.approx(base + 1)
    assert found[1] == pytest.approx(values[SIZE] + 2)
    assert found[2] == pytest.approx(base)


def test_missing_cells_are_filled_as_the_model_expects(tmp_path: Path) -> None:
    function = load(tmp_path, "binary")
    values = function.to_values(make_cells(20))
    assert values[KIND][0] == b"__MISSING__"
    assert values[CODE][0] == NO_CODE
    assert np.isnan(values[IDLE][0])
    assert values[CODE].dtype == np.int64
    assert function.predict(values).shape == (20,)


def test_a_multiclass_model_has_a_probability_for_each_class(tmp_path: Path) -> None:
    function = load(tmp_path, "multiclass")
    values = function.to_values(make_cells(5))
    found = function.predict_changes(values, [(SIZE, values[SIZE])] * 2)
    assert found.shape == (2, 5, 3)
    assert found.sum(axis=2) == pytest.approx(1)


def test_long_texts_make_a_row_wide() -> None:
    values = {"a": np.zeros(4), "b": np.full(4, b"x" * 6400, object)}
    assert measure_width(values) == 102
