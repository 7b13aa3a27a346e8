"""Converts the configuration's search space to KerasTuner's hyperparameters, and values back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import keras_tuner

from pipeline.config.rules.searchable_keys import takes_integers
from pipeline.config.sections.tuning import Space

Spaces = Mapping[str, Space]
"""The section `tuning.search`: a space of values for each configuration key."""


def make_hyperparameters(search: Spaces) -> keras_tuner.HyperParameters:
    """Returns the hyperparameters from which an oracle draws values."""
    result = keras_tuner.HyperParameters()
    for key, space in search.items():
        if space.choice:
            result.Choice(key, _list_options(space))
        else:
            kind = result.Int if takes_integers(key, space) else result.Float
            sampling = "log" if space.log else "linear"
            kind(key, space.min, space.max, step=space.step, sampling=sampling)
    return result


def convert_values(search: Spaces, drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the configuration values for the values that an oracle drew."""
    return {key: _convert_value(space, drawn[key]) for key, space in search.items()}


def _list_options(space: Space) -> list[Any]:
    """Returns a choice as KerasTuner takes it: numbers of one type, else JSON texts.

    KerasTuner orders numbers, so that an oracle can tell which values are close to each other.
    """
    kinds = {type(value) for value in space.choice}
    if kinds == {int}:
        return list(space.choice)
    if kinds <= {int, float}:
        return [float(value) for value in space.choice]
    return [json.dumps(value) for value in space.choice]


def _convert_value(space: Space, drawn: Any) -> Any:
    if space.choice:
        return space.choice[_list_options(space).index(drawn)]
    assert space.min is not None
    assert space.max is not None
    # Four significant digits: more digits do not change the model, but are hard to read and copy.
    value = float(f"{drawn:.4g}") if isinstance(drawn, float) else drawn
    # KerasTuner's logarithmic ranges may exceed their upper end by one step, and rounding may
    # leave the range.
    return max(space.min, min(value, space.max))
