"""Checks which keys `tuning` can search, and with which spaces."""

from __future__ import annotations

import difflib
import itertools
import math
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.config.base import Key, RuleError, dotted
from pipeline.config.problems import describe_problem
from pipeline.config.sections.label import LabelConfig
from pipeline.config.sections.model import ModelConfig
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import OBJECTIVES, Space, TuningConfig, Values

_FACTOR = 3
"""Hyperband's reduction factor: one trial in three goes on, with three times the epochs.

KerasTuner's default.
"""
_SECTIONS: dict[str, type[BaseModel]] = {"model": ModelConfig, "training": TrainingConfig}
_SAME_FOR_ALL = tuple(
    f"training.{name}"
    for name in (
        "strategy", "workers", "parameter_servers", "devices", "threads", "private_network",
        "recovery", "tensorboard", "warm_start",
    )
)  # fmt: skip
"""Keys that are the same for all trials: a trial is one process, whatever trains the model."""


def check_tuning(
    tuning: TuningConfig,
    label: LabelConfig,
    training: TrainingConfig,
    validate: Callable[[Values], object],
) -> None:
    """Raises RuleError for a search that could not be carried out.

    Args:
      validate: raises ValidationError or RuleError if the configuration cannot have the values.
    """
    if tuning.objective not in OBJECTIVES[label.task]:
        known = ", ".join(OBJECTIVES[label.task])
        raise RuleError(("tuning", "objective"), f"task {label.task} can be tuned by {known}")
    if tuning.algorithm == "hyperband" and tuning.max_trials is not None:
        raise RuleError(
            ("tuning", "max_trials"),
            "hyperband plans the number of trials; lower tuning.epochs for fewer trials",
        )
    if (tuning.epochs or 0) > training.epochs:
        raise RuleError(
            ("tuning", "epochs"),
            f"must not be more than training.epochs, which is {training.epochs}",
        )
    for key, space in tuning.search.items():
        _check_key(tuning, key)
        _check_range(key, space)
    if tuning.algorithm == "hyperband":
        _check_hyperband(tuning, tuning.epochs or training.epochs)
    _check_values(tuning, validate)


def _check_key(tuning: TuningConfig, key: str) -> None:
    place = ("tuning", "search", key)
    if _annotation(key) is None:
        known = sorted(_keys())
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
        raise RuleError(place, f"is not a key of model or training; {hint}")
    if key.startswith(_SAME_FOR_ALL):
        raise RuleError(place, "is the same for all trials; leave it out")
    if key == "training.class_weights" and tuning.objective == "loss":
        raise RuleError(place, "changes the loss itself; choose another tuning.objective")
    if key == "training.epochs" and (tuning.epochs or tuning.algorithm == "hyperband"):
        other = "tuning.epochs" if tuning.epochs else "algorithm hyperband"
        raise RuleError(place, f"{other} sets the epochs of a trial too; leave one of the two out")


def _check_range(key: str, space: Space) -> None:
    place = ("tuning", "search", key)
    if space.choice:
        return
    if not is_integer(key) and float not in _types(_annotation(key)):
        raise RuleError(place, "is not a number; give a choice of values")
    if is_integer(key):
        for name in ("min", "max", "step"):
            if isinstance(getattr(space, name), float):
                raise RuleError((*place, name), f"{key} takes whole numbers")


def _check_hyperband(tuning: TuningConfig, epochs: int) -> None:
    """Raises RuleError if there are too few epochs or too few combinations of values.

    Hyperband's first trials all have different values, and KerasTuner fails if it finds no more.
    """
    if epochs < _FACTOR:
        raise RuleError(
            ("tuning", "algorithm"),
            f"hyperband needs trials of {_FACTOR} epochs or more, not {epochs}; choose random",
        )
    known = math.prod(_count(key, space) for key, space in tuning.search.items())
    # Twice as many: KerasTuner draws at random and gives up after some duplicates.
    needed = 2 * count_first_trials(epochs)
    if known < needed:
        raise RuleError(
            ("tuning", "algorithm"),
            f"hyperband with trials of {epochs} epochs needs {needed} combinations of values, and "
            f"there are {known}; choose random, or lower tuning.epochs",
        )


def count_first_trials(epochs: int) -> int:
    """Returns the number of trials that Hyperband starts from scratch, as KerasTuner counts them.

    Each bracket starts its own trials; a third of them goes on to the next round (Li et al. 2018,
    "Hyperband: A Novel Bandit-Based Approach to Hyperparameter Optimization").
    """
    rounds = 0
    while epochs >= _FACTOR ** (rounds + 1):
        rounds += 1
    end = math.ceil(1 + math.log(epochs, _FACTOR))
    return sum(math.ceil(end / (b + 1) * _FACTOR**b) for b in range(rounds + 1))


def _count(key: str, space: Space) -> float:
    """Returns the number of values in a space, which may be infinite."""
    if space.choice:
        return len(space.choice)
    assert space.min is not None
    assert space.max is not None
    step = space.step or (1 if takes_integers(key, space) else None)
    return math.inf if step is None else (space.max - space.min) // step + 1


def _check_values(tuning: TuningConfig, validate: Callable[[Values], object]) -> None:
    """Raises RuleError unless each value, and each pair of values of two keys, is valid."""
    values = [
        (key, where, value)
        for key, space in tuning.search.items()
        for where, value in space.extremes().items()
    ]
    for key, where, value in values:
        _check_combination(("tuning", "search", key, *where), {key: value}, "", validate)
    for (first, _, one), (key, where, other) in itertools.combinations(values, 2):
        if first != key:
            together = f"with {first} = {one}: "
            _check_combination(
                ("tuning", "search", key, *where), {first: one, key: other}, together, validate
            )


def _check_combination(
    place: Key,
    values: Values,
    together: str,
    validate: Callable[[Values], object],
) -> None:
    try:
        validate(values)
    except RuleError as error:
        raise RuleError(place, f"{together}{dotted(error.key)}: {error}") from None
    except ValidationError as error:
        raise RuleError(place, f"{together}{describe_problem(error.errors()[0])}") from None


def takes_integers(key: str, space: Space) -> bool:
    """Returns whether only whole numbers are drawn: by the key's type, else by the range's ends."""
    ends = [space.min, space.max, *([space.step] if space.step is not None else [])]
    of_any = _annotation(key) is Any and all(isinstance(end, int) for end in ends)
    return is_integer(key) or of_any


def is_integer(key: str) -> bool:
    """Returns whether the type of the key includes whole numbers."""
    return int in _types(_annotation(key))


def _annotation(key: str) -> Any:
    """Returns the type of a key of `model` or `training`, or None if there is no such key."""
    first, *path = key.split(".")
    annotation: Any = _SECTIONS.get(first)
    for step in path:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(step)
            annotation = field.annotation if field else None
        elif typing.get_origin(annotation) is dict:
            annotation = typing.get_args(annotation)[1]
        else:
            return None
    is_section = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return None if is_section else annotation


def _types(annotation: Any) -> set[Any]:
    """Returns the plain types of a value; for a key of any type, float."""
    if annotation is Any:
        return {float}
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, typing.Annotated):
        return {t for part in typing.get_args(annotation) for t in _types(part)}
    return {annotation}


def _keys() -> Iterator[str]:
    for name, section in _SECTIONS.items():
        yield from _keys_below(name, section)


def _keys_below(prefix: str, section: type[BaseModel]) -> Iterator[str]:
    for name, field in section.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _keys_below(f"{prefix}.{name}", inner)
        else:
            yield f"{prefix}.{name}"
