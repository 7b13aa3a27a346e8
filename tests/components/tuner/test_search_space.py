"""Values survive the way from the configuration to KerasTuner and back."""

from __future__ import annotations

from typing import Any

import pytest

from components.tuner.search_space import convert_values, make_hyperparameters
from pipeline.config.sections.tuning import Space

_KEY = "training.learning_rate"


@pytest.mark.parametrize(
    "choice", [(64, 128), (0.1, 1), ("dnn", "linear"), ((64,), (128, 64)), (None, "balanced")]
)
def test_each_value_of_a_choice_comes_back_with_its_type(choice: tuple[Any, ...]) -> None:
    search = {_KEY: Space(choice=choice)}
    [parameter] = make_hyperparameters(search).space
    values = [convert_values(search, {_KEY: drawn})[_KEY] for drawn in parameter.values]
    assert sorted(values, key=str) == sorted(choice, key=str)
    assert {type(value) for value in values} == {type(value) for value in choice}


@pytest.mark.parametrize(
    ("drawn", "value"), [(0.0123456, 0.01235), (0.1000004, 0.1), (0.00099999, 0.001)]
)
def test_a_drawn_number_is_rounded_and_stays_in_its_range(drawn: float, value: float) -> None:
    search = {_KEY: Space(min=0.001, max=0.1, log=True)}
    assert convert_values(search, {_KEY: drawn}) == {_KEY: value}


def test_keys_of_whole_numbers_get_whole_numbers() -> None:
    search = {"model.members": Space(min=1, max=8), "model.dropout": Space(min=0, max=0.5)}
    kinds = {p.name: type(p).__name__ for p in make_hyperparameters(search).space}
    assert kinds == {"model.members": "Int", "model.dropout": "Float"}
