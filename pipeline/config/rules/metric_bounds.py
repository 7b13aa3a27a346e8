"""Checks the bounds of the section `evaluation` against the task and its metrics."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.config.base import Key, RuleError
from pipeline.config.sections.evaluation import EvaluationConfig, GapLimit, Threshold
from pipeline.config.sections.label import LabelConfig
from pipeline.config.sections.metrics import METRICS, Metric


def find_broken_bounds(evaluation: EvaluationConfig, label: LabelConfig) -> Iterator[RuleError]:
    """Yields an error for each threshold and each gap that does not fit the label's task."""
    thresholds: list[tuple[Key, Threshold]] = [
        (("evaluation", "thresholds", index), bound)
        for index, bound in enumerate(evaluation.thresholds)
    ]
    gaps: list[tuple[Key, GapLimit]] = [
        (("evaluation", "gaps", index), limit) for index, limit in enumerate(evaluation.gaps)
    ]
    faults = [
        *(error for key, bound in thresholds for error in _check_threshold(key, bound, label)),
        *(error for key, limit in gaps for error in _check_gap(key, limit, label)),
    ]
    yield from faults
    if not faults:
        # The classes that a bound is for are only known if its metric exists.
        yield from _find_second_thresholds(thresholds, label.classes)
        yield from _find_second_gaps(gaps, label.classes)


def _check_threshold(key: Key, threshold: Threshold, label: LabelConfig) -> Iterator[RuleError]:
    metric = METRICS.get(threshold.metric)
    if metric is None or label.task not in metric.tasks:
        yield _refuse_metric(key, threshold.metric, label)
    else:
        yield from _find_unreachable(key, threshold, metric)
        yield from _check_class(key, threshold, metric, label)


def _check_gap(key: Key, limit: GapLimit, label: LabelConfig) -> Iterator[RuleError]:
    metric = METRICS.get(limit.metric)
    if metric is None or label.task not in metric.tasks:
        yield _refuse_metric(key, limit.metric, label)
        return
    if limit.at_most >= metric.high - metric.low:
        yield RuleError(
            (*key, "at_most"),
            f"two values of {limit.metric} never differ by more than {metric.high - metric.low:g}",
        )
    yield from _check_class(key, limit, metric, label)


def _refuse_metric(key: Key, name: str, label: LabelConfig) -> RuleError:
    fitting = [name for name, metric in METRICS.items() if label.task in metric.tasks]
    return RuleError(
        (*key, "metric"),
        f"task {label.task} has no metric '{name}'; it has {', '.join(fitting)}",
    )


def _find_unreachable(key: Key, threshold: Threshold, metric: Metric) -> Iterator[RuleError]:
    """Yields an error for each bound that no model can meet: training first would waste hours."""
    name = threshold.metric
    if threshold.at_least is not None and threshold.at_least > metric.high:
        yield RuleError((*key, "at_least"), f"{name} is never above {metric.high:g}")
    if threshold.at_most is not None and threshold.at_most < metric.low:
        yield RuleError((*key, "at_most"), f"{name} is never below {metric.low:g}")
    if metric.higher_is_better is None and threshold.may_worsen_by is not None:
        yield RuleError(
            (*key, "may_worsen_by"),
            f"the best {name} is neither high nor low; set at_least and at_most",
        )


def _check_class(
    key: Key, bound: Threshold | GapLimit, metric: Metric, label: LabelConfig
) -> Iterator[RuleError]:
    if bound.class_name is None:
        return
    key = (*key, "class_name")
    if not metric.per_class or label.task != "multiclass":
        yield RuleError(key, f"{bound.metric} has no value per class for task {label.task}")
    elif bound.class_name not in label.classes:
        yield RuleError(key, f"'{bound.class_name}' is not one of label.classes")


def _find_second_thresholds(
    thresholds: list[tuple[Key, Threshold]], classes: tuple[str, ...]
) -> Iterator[RuleError]:
    """Yields an error for each second bound of a kind on the same metric, class and slices.

    The Evaluator would keep only one of the two.
    """
    seen: set[tuple[object, ...]] = set()
    for key, threshold in thresholds:
        for kind in ("at_least", "at_most", "may_worsen_by"):
            if getattr(threshold, kind) is None:
                continue
            slices = tuple(sorted(threshold.slice_by))
            bounds = {(kind, threshold.metric, c, slices) for c in threshold.classes(classes)}
            if bounds & seen:
                yield RuleError(
                    (*key, kind), f"{threshold.metric} already has such a bound on these slices"
                )
            seen |= bounds


def _find_second_gaps(
    gaps: list[tuple[Key, GapLimit]], classes: tuple[str, ...]
) -> Iterator[RuleError]:
    seen: set[tuple[object, ...]] = set()
    for key, limit in gaps:
        columns = tuple(sorted(limit.slice_by))
        if len(set(columns)) < len(columns):
            yield RuleError((*key, "slice_by"), "names a column twice")
        limits = {(limit.metric, class_name, columns) for class_name in limit.classes(classes)}
        if limits & seen:
            yield RuleError(key, f"{limit.metric} already has a gap on these slices")
        seen |= limits
