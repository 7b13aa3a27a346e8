"""The section `evaluation`: the thresholds that a model must meet before it is pushed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pipeline.config.base import Section
from pipeline.config.sections.metrics import METRICS, metric_name


class Threshold(Section):
    """A bound on one metric, on the whole test split or on every slice."""

    metric: str
    """The metric's name."""
    at_least: float | None = None
    """The lowest value that passes: a value that is equal to the bound passes."""
    at_most: float | None = None
    """The highest value that passes: a value that is equal to the bound passes."""
    may_worsen_by: float | None = Field(default=None, ge=0)
    """How much worse than the served model the candidate may be, in units of the metric."""
    slice_by: tuple[str, ...] = ()
    """The columns to slice by: every combination of their values must pass; empty for the whole \
split."""
    class_name: str | None = None
    """The class whose metric is bounded (default: every class must pass)."""

    @model_validator(mode="after")
    def _check_bounds(self) -> Threshold:
        if self.at_least is None and self.at_most is None and self.may_worsen_by is None:
            raise ValueError("a threshold needs at_least, at_most or may_worsen_by")
        if None not in (self.at_least, self.at_most) and self.at_least > self.at_most:  # type: ignore[operator]
            raise ValueError("at_least is above at_most")
        return self

    def sides(self) -> dict[Literal["at least", "at most"], float]:
        """Returns the bounds on the value itself; a value that is equal to a bound passes."""
        sides: dict[Literal["at least", "at most"], float] = {}
        if self.at_least is not None:
            sides["at least"] = self.at_least
        if self.at_most is not None:
            sides["at most"] = self.at_most
        return sides

    def classes(self, all_classes: tuple[str, ...]) -> tuple[str | None, ...]:
        """Returns the classes that this threshold bounds; (None,) for a metric over all classes."""
        return _choose_classes(self.metric, self.class_name, all_classes)


class GapLimit(Section):
    """A bound on the difference of a metric between any two slices."""

    metric: str
    """The metric's name."""
    slice_by: tuple[str, ...] = Field(min_length=1)
    """The columns to slice by: any two combinations of their values are compared."""
    at_most: float = Field(ge=0)
    """The largest allowed difference, in units of the metric."""
    class_name: str | None = None
    """The class whose metric is compared (default: every class must pass)."""

    def classes(self, all_classes: tuple[str, ...]) -> tuple[str | None, ...]:
        """Returns the classes that this limit bounds; (None,) for a metric over all classes."""
        return _choose_classes(self.metric, self.class_name, all_classes)


def _choose_classes(
    metric: str, class_name: str | None, all_classes: tuple[str, ...]
) -> tuple[str | None, ...]:
    if not METRICS[metric].per_class or len(all_classes) < 3:
        return (None,)
    return (class_name,) if class_name else all_classes


def describe_bounds(
    at_least: float | None = None, at_most: float | None = None, may_worsen_by: float | None = None
) -> str:
    """Returns the bounds in words, such as `at least 0.7, may worsen by 0.01`."""
    bounds = {"at least": at_least, "at most": at_most, "may worsen by": may_worsen_by}
    return ", ".join(f"{words} {value:g}" for words, value in bounds.items() if value is not None)


def describe_threshold(threshold: Threshold) -> str:
    """Returns the bounds of a threshold in words."""
    return describe_bounds(threshold.at_least, threshold.at_most, threshold.may_worsen_by)


class EvaluationConfig(Section):
    """What the Evaluator computes and requires."""

    thresholds: tuple[Threshold, ...] = Field(min_length=1)
    """The thresholds that a model must meet to be blessed; one or more need at_least or at_most."""
    gaps: tuple[GapLimit, ...] = ()
    """The largest allowed differences of metrics between slices; what chance explains does not \
count."""
    slices: tuple[tuple[str, ...], ...] = ()
    """The columns, or combinations of columns, to slice the metrics by."""
    min_slice_size: int = Field(default=30, ge=1)
    """The fewest examples of a slice; smaller slices are left out."""
    split: Literal["test", "eval"] = "test"
    """The split to evaluate on."""

    @model_validator(mode="after")
    def _check_one_is_absolute(self) -> EvaluationConfig:
        # Before the first push, thresholds on change alone would bless any model.
        if all(t.at_least is None and t.at_most is None for t in self.thresholds):
            raise ValueError("at least one threshold needs at_least or at_most")
        return self

    def bounds_by_metric(self, classes: tuple[str, ...]) -> dict[str, str]:
        """Returns the words about the thresholds on the whole split, by metric."""
        return {
            metric: "; ".join(map(describe_threshold, thresholds))
            for metric, thresholds in self.thresholds_by_metric(classes).items()
        }

    def thresholds_by_metric(self, classes: tuple[str, ...]) -> dict[str, list[Threshold]]:
        """Returns the thresholds on the whole split, by metric."""
        found: dict[str, list[Threshold]] = {}
        for threshold in self.thresholds:
            for class_name in () if threshold.slice_by else threshold.classes(classes):
                found.setdefault(metric_name(threshold.metric, class_name), []).append(threshold)
        return found
