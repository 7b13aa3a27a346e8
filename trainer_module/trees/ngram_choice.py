"""Chooses the n-grams of a text that become columns of the trees: those most related to the label.

Trees read a table of columns, and a text has too many n-grams for a column each. Most of the
frequent ones say nothing about the label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pipeline.config import Features
from trainer_module.input.examples import Examples
from trainer_module.names import has_ngrams, ngrams_name

Targets = npt.NDArray[np.float32]
"""What n-grams may be related to, [rows, targets]: 1 for the row's class and 0, or a number."""
Ids = npt.NDArray[np.int64]


def choose_ngrams(
    features: Features, train: Examples, targets: Targets, most: int, min_rows: int
) -> dict[str, Ids]:
    """Returns the ids of at most `most` n-grams of each text, ascending, by column.

    An n-gram has to occur in `min_rows` rows of the training split. The rows that have the n-gram
    are compared with all rows: the further apart the means of their targets in standard errors,
    the better. For classes, this is the chi-squared statistic.
    """
    return {
        column: _choose(_Tally(train, ngrams_name(column), targets), most, min_rows)
        for column, feature in features.items()
        if has_ngrams(feature)
    }


class _Tally:
    """The rows of each n-gram, [ids], and the sums of their targets, [targets, ids]."""

    def __init__(self, train: Examples, name: str, targets: Targets) -> None:
        ids = Examples(train.files, {name: train.spec[name]})
        self.rows, self.sums = np.zeros(1), np.zeros((targets.shape[1], 1))
        self.targets = targets
        end = 0
        for group in ids.row_groups:
            (values,) = ids.layout.views(ids.read((group,))).values()
            start, end = end, end + group.row_count
            self._add(values, targets[start:end])

    def _add(self, ids: npt.NDArray[np.generic], targets: Targets) -> None:
        rows, places = np.nonzero(ids)
        found = ids[rows, places].astype(np.int64)
        size = max(len(self.rows), int(found.max(initial=0)) + 1)
        grow = size - len(self.rows)
        self.rows = np.pad(self.rows, (0, grow)) + np.bincount(found, minlength=size)
        sums = [np.bincount(found, column[rows], size) for column in targets.T]
        self.sums = np.pad(self.sums, ((0, 0), (0, grow))) + sums


def _choose(tally: _Tally, most: int, min_rows: int) -> Ids:
    means, variances = tally.targets.mean(axis=0), tally.targets.var(axis=0)
    varies = variances > 0
    total = len(tally.targets)
    known = np.flatnonzero((tally.rows >= min_rows) & (tally.rows < total))
    rows = tally.rows[known]
    apart = tally.sums[varies][:, known] - rows * means[varies, np.newaxis]
    scores = (apart**2 / variances[varies, np.newaxis]).sum(axis=0) / (rows * (1 - rows / total))
    chosen: Ids = np.sort(known[np.argsort(-scores, kind="stable")[:most]])
    return chosen
