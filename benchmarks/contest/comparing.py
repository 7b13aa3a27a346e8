"""Tests whether one model is significantly better than another.

The metric is bootstrapped over the seeds, each with another split and other first weights, and over
the rows of each test split. All models get the same samples of the rows, so the difficulty that a
row has for both models of a pair cancels out.
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
"""Bootstrap samples: the ends of the interval lie at the 25th sample from either side."""
_LARGER_IS_BETTER = ("auc",)


@dataclass(frozen=True)
class Difference:
    """How much better one model is than another, in the metric's unit."""

    mean: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""
    z: float
    """The mean in standard errors."""

    @property
    def verdict(self) -> str:
        """`ahead` or `behind` if the interval does not contain 0, else `level`."""
        if self.low > 0:
            return "ahead"
        return "behind" if self.high < 0 else "level"


class Bootstrap:
    """A metric of several models on the same samples of the test rows.

    Args:
      metric: a name in `METRICS`.
      labels: the labels of the test rows, for each seed.
      answers: the predictions of each model, by name, for each seed.
    """

    def __init__(
        self, metric: str, labels: Sequence[Any], answers: Mapping[str, Sequence[Answers]]
    ) -> None:
        self._sign = 1 if metric in _LARGER_IS_BETTER else -1
        generator = np.random.default_rng(0)
        values = [
            _resample(metric, rows, [answers[name][seed] for name in answers], generator)
            for seed, rows in enumerate(labels)
        ]
        self._values = dict(zip(answers, np.stack(values, axis=1), strict=True))

    def compare(self, ours: str, theirs: str) -> Difference:
        """Compares two models; the difference is positive if `ours` is better."""
        by_seed = self._sign * (self._values[ours] - self._values[theirs])
        exact, samples = float(by_seed[:, 0].mean()), by_seed[:, 1:]
        generator, seeds = np.random.default_rng(0), len(by_seed)
        chosen = generator.integers(seeds, size=(_RESAMPLES, seeds))
        means = samples[chosen, generator.integers(_RESAMPLES, size=chosen.shape)].mean(axis=1)
        low, high = np.quantile(means, (0.025, 0.975))
        return Difference(exact, float(low), float(high), _divide(exact, float(means.std())))


def _resample(
    metric: str, labels: Any, answers: Sequence[Answers], generator: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Returns the metric of each model on all rows, then on each sample, [models, 1 + samples]."""
    rows = len(labels)
    metrics = [make_metric(metric, labels, each) for each in answers]
    values = [[score(np.ones(rows)) for score in metrics]]
    for _ in range(_RESAMPLES):
        weights = np.bincount(generator.integers(rows, size=rows), minlength=rows).astype(float)
        values.append([score(weights) for score in metrics])
    return np.array(values).T


def _divide(mean: float, error: float) -> float:
    # Without an error, all rows show the same difference: none, as a rule.
    if error:
        return mean / error
    return math.copysign(math.inf, mean) if mean else 0.0
