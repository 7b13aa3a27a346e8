"""The search for better values of keys of `model` and `training`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from pipeline.config.base import Section
from pipeline.config.sections.label import Task

Values = Mapping[str, Any]
"""Values of keys of `model` and `training`, such as `training.learning_rate`."""

OBJECTIVES: Mapping[Task, tuple[str, ...]] = {
    "binary": ("loss", "auc", "accuracy"),
    "multiclass": ("loss", "accuracy"),
    "regression": ("loss", "rmse", "mae"),
}
"""What the trainer measures on the evaluation split while it trains, by task."""

_DEFAULT_TRIALS = 10

_AnySection = TypeVar("_AnySection", bound=Section)


class Space(Section):
    """The values a key may take: a choice, or a range of numbers."""

    choice: tuple[Any, ...] = ()
    """The values to choose from."""
    min: int | float | None = None
    """The lowest number of a range."""
    max: int | float | None = None
    """The highest number of a range."""
    log: bool = False
    """Whether the range is searched by orders of magnitude: as often below 0.01 as above, from \
0.001 to 0.1."""
    step: int | float | None = Field(default=None, gt=0)
    """The distance between the numbers tried; left out, any number of the range may be."""

    @model_validator(mode="after")
    def _is_a_choice_or_a_range(self) -> Space:
        if self.choice:
            self._check_choice()
        elif self.min is None or self.max is None:
            raise ValueError("needs a choice, or min and max")
        elif self.min >= self.max:
            raise ValueError("min has to be below max")
        elif self.log and self.min <= 0:
            raise ValueError("a range with log has to begin above 0")
        elif self.step is not None and (self.log or self.step > self.max - self.min):
            raise ValueError("step goes neither with log nor beyond max")
        return self

    def _check_choice(self) -> None:
        if self.log or (self.min, self.max, self.step) != (None, None, None):
            raise ValueError("a choice has no min, max, log or step")
        if len(self.choice) < 2 or any(v in self.choice[:i] for i, v in enumerate(self.choice)):
            raise ValueError("a choice needs two or more different values")

    def extremes(self) -> dict[tuple[str | int, ...], Any]:
        """The values that have to be valid for all to be, by where they stand below the space."""
        if self.choice:
            return {("choice", index): value for index, value in enumerate(self.choice)}
        return {("min",): self.min, ("max",): self.max}


class TuningConfig(Section):
    """The search; with this section, the Trainer takes the best values found."""

    search: dict[str, Space] = Field(min_length=1)
    """The keys of `model` and `training` to search, such as `training.learning_rate`, each with \
its values."""
    algorithm: Literal["random", "bayesian", "hyperband"] = "random"
    """Where the next values come from: chance; a Gaussian process over the results so far; or \
chance with few epochs each, of which the best third goes on to more, and so on."""
    max_trials: int | None = Field(default=None, ge=1)
    """The most trials; left out, 10, and as many as it takes with `hyperband`."""
    parallel: int = Field(default=1, ge=1)
    """The trials at work at a time, each a process of its own."""
    objective: str = "loss"
    """What counts of the evaluation split: `loss`, or a metric that training measures: `auc` or \
`accuracy` of task `binary`, `accuracy` of `multiclass`, `rmse` or `mae` of `regression`."""
    epochs: int | None = Field(default=None, ge=1)
    """The most epochs of a trial; left out, those of `training`."""
    max_retries: int = Field(default=2, ge=0)
    """How often a trial whose process was lost is taken up again before it counts as failed."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """The seed of the search; that of each trial is the one of `training`."""

    @property
    def trials(self) -> int | None:
        """The most trials, or None where the algorithm plans them."""
        return None if self.algorithm == "hyperband" else self.max_trials or _DEFAULT_TRIALS


def with_values(name: str, section: _AnySection, values: Values) -> _AnySection:
    """The section called `name` with those of the values that are of its keys.

    Raises:
      ValidationError: a value is none for its key.
    """
    content = section.model_dump()
    for key, value in values.items():
        first, *path, last = key.split(".")
        if first == name:
            target = content
            for step in path:
                target = target[step]
            target[last] = value
    return type(section).model_validate(content)
