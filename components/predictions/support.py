"""Intervals of shares of 0 and 1, where the bootstrap over rows has none.

If all of 4 predicted positives are right, each replicate finds a precision of 1: the bootstrap's
interval is a point. There the interval of Wilson is taken (Journal of the American Statistical
Association, 1927): at a share of 1 of n rows it reaches down to n / (n + z^2), close to the rule of
three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from components.predictions.estimates import Estimate, subtract_independent
from components.predictions.terms import Array, BinaryTerms, MulticlassTerms
from pipeline.config import Task
from pipeline.config.sections.metrics import metric_name

_Z2 = NormalDist().inv_cdf(0.975) ** 2


def count_support(
    labels: Array, predictions: Array, task: Task, classes: Sequence[str]
) -> dict[str, int]:
    """Returns how many rows bear each metric that is a share, by name.

    These are the predicted positives of a precision, and the positives of a recall. An F1 is borne
    by the rows that are positive or predicted so. A ROC area is a share of pairs: the smaller class
    bears it.
    """
    if task == "binary":
        return _count_binary(BinaryTerms.from_rows(labels, predictions))
    if task == "multiclass":
        return _count_multiclass(MulticlassTerms.from_rows(labels, predictions), classes)
    return {}


def _count_binary(terms: BinaryTerms) -> dict[str, int]:
    rows, positives = len(terms.positive), int(terms.positive.sum())
    smaller = min(positives, rows - positives)
    return {
        "auc": smaller,
        "pr_auc": positives,
        "accuracy": rows,
        "balanced_accuracy": smaller,
        "precision": int(terms.predicted.sum()),
        "recall": positives,
        "f1": int((terms.positive | terms.predicted).sum()),
    }


def _count_multiclass(terms: MulticlassTerms, classes: Sequence[str]) -> dict[str, int]:
    actual, predicted = (
        np.bincount(indices, minlength=len(classes)) for indices in (terms.actual, terms.predicted)
    )
    hits = np.bincount(terms.actual[terms.actual == terms.predicted], minlength=len(classes))
    either = actual + predicted - hits
    counts = {"precision": predicted, "recall": actual, "f1": either}
    return {
        "accuracy": len(terms.actual),
        **{
            metric_name(name, class_name): int(of_classes[index])
            for name, of_classes in counts.items()
            for index, class_name in enumerate(classes)
        },
        "macro_f1": int(either[either > 0].min(initial=len(terms.actual))),
    }


def add_support(
    estimates: Mapping[str, Estimate], support: Mapping[str, int]
) -> dict[str, Estimate]:
    """Returns the estimates with their rows; the intervals of 0 and 1 are those of Wilson."""
    return {name: _widen(name, e, support.get(name)) for name, e in estimates.items()}


def _widen(name: str, estimate: Estimate, examples: int | None) -> Estimate:
    value, low, high = estimate.value, estimate.low, estimate.high
    if examples and low is not None and high is not None:
        # A share of 1 of so many rows; F1 is 2 J / (1 + J) of the share J of hits.
        least = examples / (examples + _Z2)
        if value == 1:
            low = min(low, 2 * least / (1 + least) if "f1" in name else least)
        elif value == 0:
            most = 1 - least
            high = max(high, 2 * most / (1 + most) if "f1" in name else most)
    return replace(estimate, low=low, high=high, examples=examples)


def widen_differences(
    differences: Mapping[str, Estimate],
    candidate: Mapping[str, Estimate],
    served: Mapping[str, Estimate],
) -> dict[str, Estimate]:
    """Returns the differences; that of a share of 0 or 1 has the wider one of two intervals.

    A bootstrap of the difference is too narrow there. The interval for independent rows is too
    wide, since the rows are the same: it errs on the side of chance.
    """
    return {
        name: _cover(difference, subtract_independent(candidate[name], served[name]))
        if candidate[name].examples is not None
        and difference.value
        and {candidate[name].value, served[name].value} & {0.0, 1.0}
        else difference
        for name, difference in differences.items()
    }


def _cover(one: Estimate, other: Estimate) -> Estimate:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return replace(one, low=None, high=None)
    return replace(one, low=min(one.low, other.low), high=max(one.high, other.high))
