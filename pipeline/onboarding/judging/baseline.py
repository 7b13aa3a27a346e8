"""A simple model that scores how well columns predict the label, on held-out rows.

A single column predicts by target encoding: the mean of the label in each category, or in each of
many narrow ranges of a number. This needs hardly any training, so every column of a wide table can
be scored, and it follows any dependence on a single column. Several columns together are a ridge
regression on those means. The scores tell which columns leak the label, and what a trained model
should at least reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.config import Task
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.scores import (
    BaselineScore,
    Fold,
    GateMetric,
    Score,
    compute_metric,
    summarize_folds,
)
from pipeline.onboarding.reading.arrays import (
    Flags,
    Floats,
    Integers,
    inverse_signed_log,
    ranks_of,
    signed_log,
    skewness_of,
)
from pipeline.onboarding.reading.columns import Column

_FOLDS = 5
"""The usual number of cross-validation folds; the time grows with it."""
_MOST_ROWS = 50_000
"""Bounds the time; an accuracy on so many rows has a standard error of at most 0.0023."""
_MOST_CELLS = 10_000_000
"""Bounds time and memory on wide tables: rows times columns."""
_TARGETS_A_COLUMN = 10
"""Classes that take as long as a column: each has a regression of its own."""
_FEWEST_ROWS = 1000
"""Rows that even the widest table is scored on: fewer would say little."""
_MOST_CODES = 2000
"""Bounds the memory of a column's means. Rarer categories share a code: each has few rows, and
therefore a mean that says little."""
_ROWS_A_VALUE = 10
"""Rows that each value of a number needs to be a category; with fewer, values share ranges."""
_BINS = 2.5
"""Ranges per cube root of the rows: narrow enough to follow the label, wide enough to hold many
rows (50,000 rows give 92 ranges of 543 rows)."""
_SHRINKAGE = 3.0
"""Rows with the overall mean that are added to each category: the mean of a category of three rows
becomes half its own, half the overall mean."""
_RIDGE = 1e-3
"""Ridge penalty per row: enough to solve for columns that duplicate each other, too little to pull
down the weights of others."""
_MOST_JOINED = 50
"""Columns that are scored together: bounds the time of the regression, which grows with the square
of their number."""
_MOST_EVEN_CLASSES = 10
"""Classes up to which the accuracy can stand for all of them."""
_LEAST_EVEN_SHARE = 1 / 3
"""The rarest class must have a third of an even share of the rows: a model that never predicts a
rarer class loses hardly any accuracy."""
_LONG_TAIL = 4.0
"""Skewness beyond which the label is scored on a log scale, twice that of an exponential
distribution: from there, a handful of labels decides every score."""


@dataclass(frozen=True)
class _Tally:
    """The rows and the label's sums in each category and fold.

    The means over all folds but one need only a subtraction from the sums over all folds.
    """

    counts: Integers
    """int64 [codes, folds]."""
    sums: Floats
    """float64 [codes, folds, targets]."""

    def until(self, fold: int) -> _Tally:
        """Returns the tally of the folds up to `fold`."""
        is_known = np.arange(_FOLDS) <= fold
        return _Tally(self.counts * is_known, self.sums * is_known[:, np.newaxis])

    def means_without(self, fold: int | None = None) -> Floats:
        """Returns float64 [codes, folds, targets]: the means without each fold and without `fold`.

        The means shrink towards the overall mean, so that categories of few rows say little.
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


class Baseline:
    """The labelled rows of the sample in folds.

    All rows with the same key are in one fold. With times, each fold follows the one before.

    Args:
      label: the label.
      label_column: the label's column.
      column_count: the columns of the table.
      key: the column whose values each lie in one fold.
      times: float64 [sampled rows], the order of the rows.
      counted: bool [sampled rows], the rows to look at (default: all).
    """

    def __init__(
        self,
        label: Label,
        label_column: Column,
        column_count: int,
        key: Column | None,
        times: Floats | None = None,
        counted: Flags | None = None,
    ) -> None:
        self.task: Task = label.task.value
        self.classes = label.classes.value
        targets = _encode_label(label, label_column)
        is_labelled = ~np.isnan(targets[:, 0])
        labelled = np.flatnonzero(is_labelled if counted is None else is_labelled & counted)
        random = np.random.default_rng(0)
        cells_a_row = max(column_count, 1) * (1 + targets.shape[1] / _TARGETS_A_COLUMN)
        most = max(_FEWEST_ROWS, min(_MOST_ROWS, int(_MOST_CELLS / cells_a_row)))
        self.rows = np.sort(random.permutation(labelled)[:most])
        """int64 [rows]: the positions of the scored rows in the sample."""
        self.values = targets[self.rows]
        """float64 [rows, targets]: a number, 1 for the positive class, or a one-hot class."""
        self.is_long_tailed = self.task == "regression" and (
            abs(skewness_of(self.values[:, 0])) > _LONG_TAIL
        )
        self.targets = signed_log(self.values) if self.is_long_tailed else self.values
        """What the baseline predicts: `values`, or their logarithms if they are long-tailed, since
        otherwise a handful of rows would decide every score."""
        self.is_ordered = times is not None
        """Whether later folds must not be used to predict earlier ones."""
        self.folds = (
            _divide_by_key(key.codes[self.rows] if key else np.arange(len(self.rows)), random)
            if times is None
            else _divide_by_time(times[self.rows])
        )
        """int64 [rows]: the fold of each row."""

    def score_column(self, column: Column) -> Score:
        """Scores how well `column` alone predicts the label."""
        codes = self.encode_column(column)
        means = self._tally(codes).means_without()
        value = compute_metric(self.task, self.targets, means[codes, self.folds])
        return Score(self.task, value, self._trivial, self._effective_rows)

    def score_together(self, columns: Sequence[Column]) -> BaselineScore:
        """Scores how well `columns` together predict the label."""
        codes = [self.encode_column(c) for c in columns]
        tallies = [self._tally(c) for c in codes]
        parts = []
        for fold in np.unique(self.folds):
            held_out = self.folds == fold
            predicted = self._predict(codes, tallies, fold)[held_out]
            if self.is_long_tailed:
                predicted = inverse_signed_log(predicted)
            parts.append((self.values[held_out], predicted))
        return self.summarize(parts)

    def summarize(self, folds: Sequence[Fold]) -> BaselineScore:
        """Returns the score of several columns from their predictions of held-out rows."""
        return summarize_folds(self.task, self._gate_metrics, folds, self._effective_rows)

    def encode_column(self, column: Column) -> Integers:
        """Returns int64 [rows]: the category or the range of each row's value; 0 is missing."""
        is_number = column.is_number or column.is_mostly_numbers
        if is_number and len(column.categories) * _ROWS_A_VALUE > len(self.rows):
            return bin_numbers(column.values[self.rows])
        return self.encode_categories(column)

    def encode_categories(self, column: Column) -> Integers:
        """Returns int64 [rows]: the rank of each row's value by frequency, from 1; 0 is missing."""
        ranks = np.empty(len(column.counts) + 1, np.int64)
        ranks[np.argsort(-column.counts, kind="stable")] = np.arange(len(column.counts))
        ranks[-1] = -1
        codes: Integers = np.minimum(ranks, _MOST_CODES - 1)[column.codes[self.rows]] + 1
        return codes

    def encode_means(self, column: Column, fold: int) -> Floats:
        """Returns float64 [rows, targets]: the mean label of each row's value outside of `fold`.

        Where folds are ordered by time, the means are those of the folds before `fold`.
        The mean of a row leaves out its own fold, too: a value says as much about a row in training
        as about a new one.
        """
        codes = column.codes[self.rows] + 1
        tally = self._tally(codes)
        if self.is_ordered:
            tally = tally.until(fold)
        means: Floats = tally.means_without(fold)[codes, self.folds]
        return means

    @cached_property
    def labels(self) -> Integers:
        """int64 [rows]: the position of each row's class in `classes`."""
        is_one_hot = self.targets.shape[1] > 1
        labels = self.targets.argmax(axis=1) if is_one_hot else self.targets[:, 0]
        positions: Integers = labels.astype(np.int64)
        return positions

    @cached_property
    def _gate_metrics(self) -> tuple[GateMetric, ...]:
        """The metrics that suit the label, the best first.

        With many or uneven classes, a model that ignores most of them can have a high accuracy. If
        the label has a very long tail, a few rows decide R², whatever the model.
        """
        if self.task == "binary":
            return ("auc",)
        if self.task == "regression":
            return ("mae", "r2") if self.is_long_tailed else ("r2",)
        shares = self.targets.mean(axis=0) * self.targets.shape[1]
        is_even = len(shares) <= _MOST_EVEN_CLASSES and shares.min() >= _LEAST_EVEN_SHARE
        return ("accuracy",) if is_even else ("macro_f1",)

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
        """Predicts all rows with a model fitted outside of `fold`.

        The means of a training row leave out its own fold, too. So the regression learns how far it
        can trust the means of unseen rows.
        """
        training = self.folds != fold
        if not codes:
            mean: Floats = self.targets[training].mean(axis=0)
            return np.tile(mean, (len(self.rows), 1))
        encoded = np.stack(
            [t.means_without(fold)[c, self.folds] for c, t in zip(codes, tallies, strict=True)],
            axis=1,
        )
        predictions = [
            _fit_ridge(encoded[:, :, target], self.targets[:, target], training)
            for target in range(self.targets.shape[1])
        ]
        return np.stack(predictions, axis=1)

    def _tally(self, codes: Integers) -> _Tally:
        size = int(codes.max()) + 1
        cells = codes * _FOLDS + self.folds
        counts = np.bincount(cells, minlength=size * _FOLDS).reshape(size, _FOLDS)
        sums = [np.bincount(cells, t, minlength=size * _FOLDS) for t in self.targets.T]
        by_target: Floats = np.stack(sums, axis=1).astype(np.float64)
        return _Tally(counts, by_target.reshape(size, _FOLDS, -1))


def bin_numbers(values: Floats) -> Integers:
    """Returns int64 [rows]: the quantile range of each value, from 1; 0 for NaN."""
    known = values[~np.isnan(values)]
    bins = max(2, int(_BINS * len(known) ** (1 / 3)))
    edges = np.unique(np.quantile(known, np.linspace(0, 1, bins + 1)[1:-1])) if len(known) else []
    codes = np.searchsorted(edges, values, side="right") + 1
    return np.where(np.isnan(values), 0, codes)


def _divide_by_key(keys: Integers, random: np.random.Generator) -> Integers:
    _, groups = np.unique(keys, return_inverse=True)
    folds: Integers = (random.permutation(groups.max() + 1) % _FOLDS)[groups]
    return folds


def _divide_by_time(times: Floats) -> Integers:
    """Returns folds of about as many rows each; rows without a time come first, as in a split."""
    ranks = ranks_of(np.nan_to_num(times, nan=-np.inf)) - 1
    folds: Integers = (ranks * _FOLDS // len(times)).astype(np.int64)
    return folds


def select_best_columns(scores: Mapping[str, Score]) -> list[str]:
    """Returns the columns worth scoring together, the best first."""
    return sorted(scores, key=lambda name: -scores[name].value)[:_MOST_JOINED]


def _encode_label(label: Label, column: Column) -> Floats:
    """Returns float64 [sampled rows, targets]; NaN in rows without a label."""
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


def _fit_ridge(inputs: Floats, target: Floats, training: Flags) -> Floats:
    """Returns float64 [rows]: the target as a linear function of the standardised inputs."""
    mean, spread = inputs[training].mean(axis=0), inputs[training].std(axis=0)
    scaled = (inputs - mean) / np.where(spread > 0, spread, 1)
    x, y = scaled[training], target[training] - target[training].mean()
    weights = np.linalg.solve(x.T @ x + (_RIDGE * len(x) + 1) * np.eye(x.shape[1]), x.T @ y)
    # The inputs are means of the label itself: a negative weight can only come from noise.
    weights = np.maximum(weights, 0)
    predicted: Floats = scaled @ weights + target[training].mean()
    return predicted
