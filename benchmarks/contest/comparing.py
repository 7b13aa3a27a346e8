"""Tests whether one model is significantly better than another.

For each seed, the metric is bootstrapped over the rows of the test split. All models get the same
samples of the rows, so the difficulty that a row has for both models of a pair cancels out. Of the
samples, only their standard error is kept, so that seeds that were played on different days can be
combined without their predictions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.contest.metrics import Answers, make_metric

_RESAMPLES = 1000
"""Bootstrap samples: the standard error itself then has an error of 2 %."""
_LARGER_IS_BETTER = ("auc",)
_WIDTH = 1.96
"""Half of the 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Difference:
    """How much better one model is than another, in the metric's unit."""

    mean: float
    error: float
    """The standard error of the mean."""

    @property
    def z(self) -> float:
        """The mean in standard errors."""
        # Without an error, all rows show the same difference: none, as a rule.
        if self.error:
            return self.mean / self.error
        return math.copysign(math.inf, self.mean) if self.mean else 0.0

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - _WIDTH * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + _WIDTH * self.error

    @property
    def verdict(self) -> str:
        """`ahead` or `behind` if the interval does not contain 0, else `level`."""
        if self.low > 0:
            return "ahead"
        return "behind" if self.high < 0 else "level"


def subtract(metric: str, ours: float, theirs: float) -> float:
    """Returns by how much the value `ours` of a metric is better."""
    return ours - theirs if metric in _LARGER_IS_BETTER else theirs - ours


def combine_seeds(
    differences: Sequence[float], errors: Sequence[float], *, of_rows_alone: bool = False
) -> Difference:
    """Returns the difference over several seeds, each of which counts the same.

    Args:
      differences: by how much one model is better, for each seed.
      errors: the standard errors of the differences over the test rows of each seed.
      of_rows_alone: whether the seeds are taken as given, and only other test rows were possible.

    The variance of the mean is the one of a bootstrap that draws the seeds, and then the rows of
    each drawn seed: the mean variance over rows plus the variance of the differences over seeds,
    divided by the number of seeds. The rows of a seed also make its difference vary, and so count
    twice: the error is rather too large than too small.
    """
    of_seeds = 0.0 if of_rows_alone else float(np.var(differences))
    variance = float(np.mean(np.square(errors))) + of_seeds
    return Difference(float(np.mean(differences)), math.sqrt(variance / len(differences)))


class Bootstrap:
    """A metric of several models on the same samples of the test rows of one seed.

    Args:
      metric: a name in `METRICS`.
      labels: the labels of the test rows.
      answers: the predictions of each model, by name.
    """

    def __init__(self, metric: str, labels: Any, answers: Mapping[str, Answers]) -> None:
        values = _resample(metric, labels, list(answers.values()))
        self._values = dict(zip(answers, values, strict=True))

    def find_error(self, ours: str, theirs: str) -> float:
        """Returns the standard error of the difference of two models."""
        # A sample without any row of one class has no AUC.
        return float(np.nanstd(self._values[ours] - self._values[theirs]))


def _resample(metric: str, labels: Any, answers: Sequence[Answers]) -> npt.NDArray[np.float64]:
    """Returns the metric of each model on each sample, [models, samples]."""
    rows, generator = len(labels), np.random.default_rng(0)
    metrics = [make_metric(metric, labels, each) for each in answers]
    values = []
    for _ in range(_RESAMPLES):
        weights = np.bincount(generator.integers(rows, size=rows), minlength=rows).astype(float)
        values.append([score(weights) for score in metrics])
    return np.array(values).T
