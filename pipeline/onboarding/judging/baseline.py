"""How well columns predict the label, on rows they were not fitted on.

The model is the plainest there is: the mean of the label in each category, or in each of many
narrow ranges of a number. It needs no training to speak of, so that every column of a wide table
can be tried, and it follows any dependence on a single column. Several columns together are the
ridge regression on those means. The figures tell what a column gives away and what a model
should at least reach; they are not meant to win.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.config import Task
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.scores import Reach, Score, rate
from pipeline.onboarding.reading.arrays import Flags, Floats, Integers, signed_log, skewness_of
from pipeline.onboarding.reading.columns import Column

_FOLDS = 5
_MOST_ROWS = 50_000
_MOST_CELLS = 10_000_000
_MOST_CODES = 2000
_ROWS_A_VALUE = 10
_BINS = 2.5
"""Bins per cube root of the rows: narrow enough to follow the label, wide enough to be sure."""
_SHRINKAGE = 3.0
"""So many rows with the mean of all are added to each category, so that small ones say little."""
_RIDGE = 1e-3
_MOST_JOINED = 50
_LONG_TAIL = 4.0


@dataclass(frozen=True)
class _Tally:
    """The label's sums in each category and fold: means without some folds are differences."""

    counts: Integers
    """int64 [codes, folds]."""
    sums: Floats
    """float64 [codes, folds, targets]."""

    def means_without(self, fold: int | None = None) -> Floats:
        """float64 [codes, folds, targets]: the means without each fold and, if given, `fold`.

        They are drawn to the mean of all rows, so that categories of few rows say little.
        """
        counts = self.counts.sum(axis=1, keepdims=True) - self.counts
        sums = self.sums.sum(axis=1, keepdims=True) - self.sums
        if fold is not None:
            others = np.arange(_FOLDS) != fold
            counts[:, others] -= self.counts[:, [fold]]
            sums[:, others] -= self.sums[:, [fold]]
        overall = sums.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)[:, None]
        means: Floats = (sums + _SHRINKAGE * overall) / (counts[:, :, None] + _SHRINKAGE)
        return means


class Evidence:
    """The labelled rows of the sample, divided into folds; rows of one `key` are in one fold."""

    def __init__(self, label: Label, column: Column, width: int, key: Column | None) -> None:
        self.task: Task = label.task.value
        self.classes = label.classes.value
        targets = _targets(label, column)
        labelled = np.flatnonzero(~np.isnan(targets[:, 0]))
        random = np.random.default_rng(0)
        most = max(1000, min(_MOST_ROWS, _MOST_CELLS // max(width, 1)))
        self.rows = np.sort(random.permutation(labelled)[:most])
        """int64 [rows]: the positions of the rows in the sample."""
        self.values = targets[self.rows]
        """float64 [rows, targets]: the number, whether it is the positive class, or each class."""
        self.is_long_tailed = self.task == "regression" and (
            abs(skewness_of(self.values[:, 0])) > _LONG_TAIL
        )
        self.targets = signed_log(self.values) if self.is_long_tailed else self.values
        """What is predicted: `values`, or the logarithms of numbers with a long tail, of which a
        handful would otherwise make or break every score."""
        _, groups = np.unique(
            key.codes[self.rows] if key else np.arange(len(self.rows)), return_inverse=True
        )
        self._folds = (random.permutation(groups.max() + 1) % _FOLDS)[groups]

    def alone(self, column: Column) -> Score:
        """How well `column` alone predicts the label."""
        codes = self.codes(column)
        means = self._tally(codes).means_without()
        return self.rate(means[codes, self._folds], slice(None))

    def together(self, columns: Sequence[Column]) -> Reach:
        """How well `columns` together predict the label."""
        if not columns:
            nothing = np.full(_FOLDS, self._trivial)
            return Reach(self._score(self._trivial), nothing, self._mean_error)
        codes = [self.codes(c) for c in columns]
        tallies = [self._tally(c) for c in codes]
        scores = np.zeros(_FOLDS)
        for fold in range(_FOLDS):
            held = self._folds == fold
            scores[fold] = self.rate(self._predict(codes, tallies, fold)[held], held).value
        return Reach(self._score(float(scores.mean())), scores, self._mean_error)

    def codes(self, column: Column) -> Integers:
        """int64 [rows]: the category or the range that each row's value is in; 0 is missing."""
        is_number = column.is_number or column.is_mostly_numbers
        if is_number and len(column.categories) * _ROWS_A_VALUE > len(self.rows):
            return bin_numbers(column.values[self.rows])
        # The rarest share a code: there is not much to know about each of them.
        ranks = np.empty(len(column.counts) + 1, np.int64)
        ranks[np.argsort(-column.counts, kind="stable")] = np.arange(len(column.counts))
        ranks[-1] = -1
        codes: Integers = np.minimum(ranks, _MOST_CODES - 1)[column.codes[self.rows]] + 1
        return codes

    @cached_property
    def labels(self) -> Integers:
        """int64 [rows]: each row's position in `classes`."""
        is_one_hot = self.targets.shape[1] > 1
        labels = self.targets.argmax(axis=1) if is_one_hot else self.targets[:, 0]
        positions: Integers = labels.astype(np.int64)
        return positions

    def rate(self, predicted: Floats, rows: slice | Flags) -> Score:
        """Rates predictions of `rows`, float64 [rows, targets]."""
        return self._score(rate(self.task, self.targets[rows], predicted))

    def _score(self, value: float) -> Score:
        return Score(self.task, value, self._trivial, self._effective_rows)

    @cached_property
    def _mean_error(self) -> float | None:
        if not self.is_long_tailed:
            return None
        return float(np.abs(self.values - self.values.mean()).mean())

    @cached_property
    def _trivial(self) -> float:
        if self.task == "multiclass":
            return float(self.targets.mean(axis=0).max())
        return 0.5 if self.task == "binary" else 0.0

    @cached_property
    def _effective_rows(self) -> int:
        positive = int(self.targets[:, 0].sum()) if self.task == "binary" else 0
        return min(positive, len(self.rows) - positive) if positive else len(self.rows)

    def _predict(self, codes: Sequence[Integers], tallies: Sequence[_Tally], fold: int) -> Floats:
        """Predicts all rows with what was fitted outside of `fold`.

        A row's own fold is left out of its means as well, so that the regression learns how far
        the means of unseen rows can be trusted.
        """
        training = self._folds != fold
        encoded = np.stack(
            [t.means_without(fold)[c, self._folds] for c, t in zip(codes, tallies, strict=True)],
            axis=1,
        )
        predictions = [
            _ridge(encoded[:, :, target], self.targets[:, target], training)
            for target in range(self.targets.shape[1])
        ]
        return np.stack(predictions, axis=1)

    def _tally(self, codes: Integers) -> _Tally:
        size = int(codes.max()) + 1
        cells = codes * _FOLDS + self._folds
        counts = np.bincount(cells, minlength=size * _FOLDS).reshape(size, _FOLDS)
        sums = [np.bincount(cells, t, minlength=size * _FOLDS) for t in self.targets.T]
        by_target: Floats = np.stack(sums, axis=1).astype(np.float64)
        return _Tally(counts, by_target.reshape(size, _FOLDS, -1))


def bin_numbers(values: Floats) -> Integers:
    """int64 [rows]: the number of the quantile range each value is in, from 1; 0 for NaN."""
    known = values[~np.isnan(values)]
    bins = max(2, int(_BINS * len(known) ** (1 / 3)))
    edges = np.unique(np.quantile(known, np.linspace(0, 1, bins + 1)[1:-1])) if len(known) else []
    codes = np.searchsorted(edges, values, side="right") + 1
    return np.where(np.isnan(values), 0, codes)


def best_columns(scores: Mapping[str, Score]) -> list[str]:
    """The columns worth joining, the best first."""
    return sorted(scores, key=lambda name: -scores[name].value)[:_MOST_JOINED]


def _targets(label: Label, column: Column) -> Floats:
    """float64 [sampled rows, targets]; NaN in rows without a label."""
    if label.task.value == "regression":
        return column.values[:, None]
    position = {c: i for i, c in enumerate(label.classes.value)}
    indices = np.array([*(position.get(c, -1) for c in column.categories), -1])[column.codes]
    classes = len(label.classes.value)
    targets: Floats = (
        np.eye(classes)[indices] if classes > 2 else (indices == 1).astype(float)[:, None]
    )
    targets[indices < 0] = np.nan
    return targets


def _ridge(inputs: Floats, target: Floats, training: Flags) -> Floats:
    """float64 [rows]: the target as a linear function of the standardised inputs."""
    mean, spread = inputs[training].mean(axis=0), inputs[training].std(axis=0)
    scaled = (inputs - mean) / np.where(spread > 0, spread, 1)
    x, y = scaled[training], target[training] - target[training].mean()
    weights = np.linalg.solve(x.T @ x + (_RIDGE * len(x) + 1) * np.eye(x.shape[1]), x.T @ y)
    # A negative weight on a mean of the label itself can only be the trace of noise.
    weights = np.maximum(weights, 0)
    predicted: Floats = scaled @ weights + target[training].mean()
    return predicted
