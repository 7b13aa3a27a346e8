"""The section `tuning`: the search for better values of keys in `model` and `training`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from pipeline.config.base import Section
from pipeline.config.sections.label import Task

Values = Mapping[str, Any]
"""Values by key of `model` or `training`, such as `training.learning_rate`."""

OBJECTIVES: Mapping[Task, tuple[str, ...]] = {
    "binary": ("loss", "auc", "accuracy"),
    "multiclass": ("loss", "accuracy"),
    "regression": ("loss", "rmse", "mae"),
}
"""The measures on split eval that training reports, by task."""

_DEFAULT_TRIALS = 10
"""Trials of a search that sets no number: the default of KerasTuner's random search."""

_AnySection = TypeVar("_AnySection", bound=Section)


class Space(Section):
    """The values to try for a key: a choice, or a range of numbers."""

    choice: tuple[Any, ...] = ()
    """A list of values."""
    min: int | float | None = None
    """The lowest number of a range."""
    max: int | float | None = None
    """The highest number of a range."""
    log: bool = False
    """Whether to draw from the range on a logarithmic scale: from 0.001 to 0.1, half of the \
values are below 0.01."""
    step: int | float | None = Field(default=None, gt=0)
    """The distance between two numbers of the range (default: any number of the range is tried)."""

    @model_validator(mode="after")
    def _check_choice_or_range(self) -> Space:
        if self.choice:
            self._check_choice()
        elif self.min is None or self.max is None:
            raise ValueError("needs a choice, or min and max")
        elif self.min >= self.max:
            raise ValueError("min must be below max")
        elif self.log and self.min <= 0:
            raise ValueError("with log, min must be above 0")
        elif self.step is not None and (self.log or self.step > self.max - self.min):
            raise ValueError("step cannot be combined with log, or be larger than max - min")
        return self

    def _check_choice(self) -> None:
        if self.log or (self.min, self.max, self.step) != (None, None, None):
            raise ValueError("a choice cannot be combined with min, max, log or step")
        if len(self.choice) < 2 or any(v in self.choice[:i] for i, v in enumerate(self.choice)):
            raise ValueError("a choice needs two or more different values")

    def extremes(self) -> dict[tuple[str | int, ...], Any]:
        """Returns the values to validate for the whole space, by their keys below the space.

        These are all choices, or both ends of a range: all values between valid ends are valid.
        """
        if self.choice:
            return {("choice", index): value for index, value in enumerate(self.choice)}
        return {("min",): self.min, ("max",): self.max}


class TuningConfig(Section):
    """The search; the Trainer then uses the best values."""

    search: dict[str, Space] = Field(min_length=1)
    """The keys of `model` and `training` to search, such as `training.learning_rate`, each with \
the values to try."""
    algorithm: Literal["random", "bayesian", "hyperband"] = "random"
    """`random`: random values; `bayesian`: values that a Gaussian process over earlier results \
prefers; `hyperband`: random values for few epochs each, of which the best third trains on."""
    max_trials: int | None = Field(default=None, ge=1)
    """The most trials (default: 10; `hyperband` plans their number)."""
    parallel: int = Field(default=1, ge=1)
    """The number of trials at the same time, each in its own process."""
    objective: str = "loss"
    """The measure on split eval that the search improves: `loss`, or `auc` or `accuracy` for task \
binary, `accuracy` for multiclass, `rmse` or `mae` for regression."""
    epochs: int | None = Field(default=None, ge=1)
    """The most epochs of a trial (default: `training.epochs`)."""
    max_retries: int = Field(default=2, ge=0)
    """The most restarts of a trial whose process was killed; then the trial counts as failed."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """The seed from which the search draws its values; every trial trains with `training.seed`."""

    @property
    def trials(self) -> int | None:
        """Returns the most trials; None if the algorithm plans their number."""
        return None if self.algorithm == "hyperband" else self.max_trials or _DEFAULT_TRIALS


def with_values(name: str, section: _AnySection, values: Values) -> _AnySection:
    """Returns the section called `name` with the values of its keys replaced.

    Raises:
      ValidationError: a value is not valid for its key.
    """
    content = section.model_dump()
    for key, value in values.items():
        first, *path, last = key.split(".")
        if first == name:
            target = content
            for step in path:
                # A section of later keys is left out while it has its defaults.
                target = target.setdefault(step, {})
            target[last] = value
    return type(section).model_validate(content)
