"""What a model has to show before it is pushed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pipeline.config.base import Section
from pipeline.config.sections.metrics import METRICS


class Threshold(Section):
    """A bound on one metric, on the whole test split or on each slice of some columns."""

    metric: str
    """The metric's name."""
    at_least: float | None = None
    """The lowest value that passes."""
    at_most: float | None = None
    """The highest value that passes."""
    may_worsen_by: float | None = Field(default=None, ge=0)
    """How much worse than the served model the candidate may be."""
    slice_by: tuple[str, ...] = ()
    """The columns whose every combination of values must pass; empty for the whole split."""
    class_name: str | None = None
    """The class the metric is taken of; left out, all classes must pass."""

    @model_validator(mode="after")
    def _bounds(self) -> Threshold:
        if self.at_least is None and self.at_most is None and self.may_worsen_by is None:
            raise ValueError("a threshold needs at_least, at_most or may_worsen_by")
        if None not in (self.at_least, self.at_most) and self.at_least > self.at_most:  # type: ignore[operator]
            raise ValueError("at_least is above at_most")
        return self

    def classes(self, all_classes: tuple[str, ...]) -> tuple[str | None, ...]:
        """The classes it bounds; a metric that is not taken per class has None."""
        if not METRICS[self.metric].per_class or len(all_classes) < 3:
            return (None,)
        return (self.class_name,) if self.class_name else all_classes


def describe_bounds(
    at_least: float | None = None, at_most: float | None = None, may_worsen_by: float | None = None
) -> str:
    """What a metric is held to, in words: `at least 0.7, may worsen by 0.01`."""
    bounds = {"at least": at_least, "at most": at_most, "may worsen by": may_worsen_by}
    return ", ".join(f"{words} {value:g}" for words, value in bounds.items() if value is not None)


class EvaluationConfig(Section):
    """The Evaluator."""

    thresholds: tuple[Threshold, ...] = Field(min_length=1)
    """The bounds a model must keep to be blessed, at least one of them absolute."""
    slices: tuple[tuple[str, ...], ...] = ()
    """The columns, or combinations of columns, by whose values metrics are broken down."""
    min_slice_size: int = Field(default=30, ge=1)
    """Slices with fewer examples are not computed."""
    split: Literal["test", "eval"] = "test"
    """The split to evaluate on."""

    @model_validator(mode="after")
    def _one_is_absolute(self) -> EvaluationConfig:
        # Against no served model, change thresholds alone would bless anything.
        if all(t.at_least is None and t.at_most is None for t in self.thresholds):
            raise ValueError("at least one threshold needs at_least or at_most")
        return self
