"""The spaces of the configuration as KerasTuner's hyperparameters, and values on the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import keras_tuner

from pipeline.config.rules.searchable_keys import takes_integers
from pipeline.config.sections.tuning import Space

Spaces = Mapping[str, Space]


def hyperparameters(search: Spaces) -> keras_tuner.HyperParameters:
    """What an oracle draws from."""
    result = keras_tuner.HyperParameters()
    for key, space in search.items():
        if space.choice:
            result.Choice(key, _options(space))
        else:
            kind = result.Int if takes_integers(key, space) else result.Float
            sampling = "log" if space.log else "linear"
            kind(key, space.min, space.max, step=space.step, sampling=sampling)
    return result


def chosen_values(search: Spaces, drawn: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration's values of what an oracle drew."""
    return {key: _value(space, drawn[key]) for key, space in search.items()}


def _options(space: Space) -> list[Any]:
    """The choice in KerasTuner's terms: numbers of one type, which have an order, or texts."""
    kinds = {type(value) for value in space.choice}
    if kinds == {int}:
        return list(space.choice)
    if kinds <= {int, float}:
        return [float(value) for value in space.choice]
    return [json.dumps(value) for value in space.choice]


def _value(space: Space, drawn: Any) -> Any:
    if space.choice:
        return space.choice[_options(space).index(drawn)]
    assert space.min is not None
    assert space.max is not None
    # More digits make no other model, but are hard to read and to copy.
    value = float(f"{drawn:.4g}") if isinstance(drawn, float) else drawn
    # The upper end of KerasTuner's logarithmic ranges is one beyond.
    return max(space.min, min(value, space.max))
