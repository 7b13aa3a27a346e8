"""The metrics TensorFlow Model Analysis has not: scores of the predicted class, and R².

TFMA's precision, recall and F1 binarize at a probability of 0.5; with many classes the class that
is predicted is the most probable one, whatever its probability. Found by TFMA through the module
path in the EvalConfig.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import apache_beam as beam
import numpy as np
import numpy.typing as npt
from tensorflow_model_analysis.metrics import metric_types, metric_util
from tensorflow_model_analysis.metrics.multi_class_confusion_matrix_metrics import (
    multi_class_confusion_matrices,
)

Statistic = Literal["accuracy", "precision", "recall", "f1"]


class ArgmaxScore(metric_types.Metric):
    """A score of the most probable class, of one class or averaged over all classes."""

    def __init__(
        self, statistic: Statistic, classes: int, class_id: int | None = None, name: str = ""
    ) -> None:
        """Takes the score of class `class_id` in [0, classes), or of all if it is None."""
        super().__init__(
            metric_util.merge_per_key_computations(_argmax_computations),
            statistic=statistic,
            classes=classes,
            class_id=class_id,
            name=name,
        )


class RSquared(metric_types.Metric):
    """The coefficient of determination: 1 - residual sum of squares / total sum of squares."""

    def __init__(self, name: str = "r2") -> None:
        super().__init__(metric_util.merge_per_key_computations(_r_squared_computations), name=name)


metric_types.register_metric(ArgmaxScore)
metric_types.register_metric(RSquared)


def argmax_score(
    confusion: npt.NDArray[np.float64], statistic: Statistic, class_id: int | None
) -> float:
    """A score from `confusion` [actual, predicted], float64 [classes, classes] of example counts.

    Without a `class_id`: accuracy, or the mean over the classes that occur as label or prediction.
    A score without any example to count is NaN.
    """
    hits = np.diag(confusion)
    actual, predicted = confusion.sum(axis=1), confusion.sum(axis=0)
    if statistic == "accuracy":
        return float(np.divide(hits.sum(), confusion.sum()))
    with np.errstate(invalid="ignore"):
        scores = {
            "precision": hits / predicted,
            "recall": hits / actual,
            "f1": 2 * hits / (actual + predicted),
        }[statistic]
    if class_id is not None:
        return float(scores[class_id])
    return float(np.nan_to_num(scores[(actual + predicted) > 0]).mean())


def _argmax_computations(
    statistic: Statistic,
    classes: int,
    class_id: int | None = None,
    name: str = "",
    eval_config: Any = None,
    model_name: str = "",
    output_name: str = "",
    example_weighted: bool = False,
) -> metric_types.MetricComputations:
    key = metric_types.MetricKey(
        name=name,
        model_name=model_name,
        output_name=output_name,
        example_weighted=example_weighted,
    )
    # A threshold below zero: the top class counts as predicted, however improbable it is.
    computations = multi_class_confusion_matrices(
        thresholds=[-1.0],
        eval_config=eval_config,
        model_name=model_name,
        output_name=output_name,
        example_weighted=example_weighted,
    )
    matrices_key = computations[-1].keys[-1]

    def result(metrics: dict[metric_types.MetricKey, Any]) -> dict[metric_types.MetricKey, float]:
        confusion = np.zeros((classes, classes))
        for entry, count in metrics[matrices_key].get(-1.0, {}).items():
            confusion[entry.actual_class_id, entry.predicted_class_id] = count
        return {key: argmax_score(confusion, statistic, class_id)}

    return [*computations, metric_types.DerivedMetricComputation(keys=[key], result=result)]


def _r_squared_computations(
    name: str = "r2",
    eval_config: Any = None,
    model_name: str = "",
    output_name: str = "",
    sub_key: metric_types.SubKey | None = None,
    example_weighted: bool = False,
    **unused: Any,
) -> metric_types.MetricComputations:
    key = metric_types.MetricKey(
        name=name,
        model_name=model_name,
        output_name=output_name,
        sub_key=sub_key,
        example_weighted=example_weighted,
    )

    def extract(element: Any) -> Any:
        return metric_util.to_label_prediction_example_weight(
            element,
            eval_config=eval_config,
            model_name=model_name,
            output_name=output_name,
            example_weighted=example_weighted,
        )

    return [
        metric_types.MetricComputation(
            keys=[key], preprocessors=None, combiner=_RSquaredCombiner(key, extract)
        )
    ]


# Weight, mean of the labels, sum of squared deviations from it, sum of squared residuals.
_Moments = tuple[float, float, float, float]


class _RSquaredCombiner(beam.CombineFn):
    """Merges label moments pairwise (Chan, Golub and LeVeque 1979): stable for large labels."""

    def __init__(self, key: metric_types.MetricKey, extract: Callable[[Any], Any]) -> None:
        self._key = key
        self._extract = extract

    def create_accumulator(self) -> _Moments:
        return 0.0, 0.0, 0.0, 0.0

    def add_input(self, accumulator: _Moments, element: Any) -> _Moments:
        for label, prediction, weight in self._extract(element):
            y, p, w = float(label.item()), float(prediction.item()), float(weight.item())
            accumulator = merge_moments(accumulator, (w, y, 0.0, w * (y - p) ** 2))
        return accumulator

    def merge_accumulators(self, accumulators: Iterable[_Moments]) -> _Moments:
        merged = self.create_accumulator()
        for accumulator in accumulators:
            merged = merge_moments(merged, accumulator)
        return merged

    def extract_output(self, accumulator: _Moments) -> dict[metric_types.MetricKey, float]:
        _, _, total, residual = accumulator
        return {self._key: 1 - residual / total if total > 0 else float("nan")}


def merge_moments(a: _Moments, b: _Moments) -> _Moments:
    """The moments of two disjoint groups of examples together."""
    weight = a[0] + b[0]
    if weight == 0:
        return a
    delta = b[1] - a[1]
    mean = a[1] + delta * b[0] / weight
    total = a[2] + b[2] + delta**2 * a[0] * b[0] / weight
    return weight, mean, total, a[3] + b[3]
