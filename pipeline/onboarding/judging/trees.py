"""Boosted trees that score how well columns together predict the label, on held-out rows.

`baseline.py` adds up what each column says alone. Trees find what columns say only together, as the
proposed model does. So their score tells what a trained model should at least come near to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.scores import BaselineScore
from pipeline.onboarding.reading.arrays import Flags, Floats
from pipeline.onboarding.reading.columns import Column

_FEWEST_ROWS = 200
"""Trees with leaves of 20 rows learn nothing from fewer."""
_MOST_ROWS = 20_000
"""Bounds the time: 30 columns take about 3 seconds on two cores."""
_TREES = 100
_MOST_TREES = 300
"""Bounds the time with many classes, each of which has trees of its own."""
_MOST_CLASSES = 50
"""With more classes, each would have too few trees, and the time would still grow."""
_OBJECTIVES = {"binary": "binary", "multiclass": "multiclass", "regression": "regression"}


def score_trees(baseline: Baseline, columns: Sequence[Column]) -> BaselineScore | None:
    """Scores how well trees on `columns` predict the label in each fold of `baseline`.

    Returns None if the rows are too few, or the classes too many.
    """
    sampled = slice(None, None, -(-len(baseline.rows) // _MOST_ROWS) or None)
    targets, folds = baseline.targets[sampled], baseline.folds[sampled]
    if not columns or len(targets) < _FEWEST_ROWS or targets.shape[1] > _MOST_CLASSES:
        return None
    inputs = np.stack([_encode(baseline, column)[sampled] for column in columns], axis=1)
    categories = [i for i, column in enumerate(columns) if not _is_number(column)]
    scores = []
    for fold in np.unique(folds):
        is_held_out = folds == fold
        predicted = _fit(baseline, inputs, targets, ~is_held_out, categories).predict(
            inputs[is_held_out]
        )
        scores.append(
            baseline.score_values(targets[is_held_out], predicted.reshape(is_held_out.sum(), -1))
        )
    return baseline.summarize(np.array(scores))


def _is_number(column: Column) -> bool:
    return column.is_number or column.is_mostly_numbers


def _encode(baseline: Baseline, column: Column) -> Floats:
    """Returns the numbers, or the codes of the categories, float64 [rows]; NaN is missing."""
    codes = baseline.encode_column(column)
    inputs: Floats = (
        column.values[baseline.rows] if _is_number(column) else np.where(codes > 0, codes, np.nan)
    )
    return inputs


def _fit(
    baseline: Baseline, inputs: Floats, targets: Floats, training: Flags, categories: list[int]
) -> Any:
    # Imported late: importing takes a second, and only this function needs it.
    import lightgbm

    classes = targets.shape[1]
    labels = targets.argmax(axis=1) if classes > 1 else targets[:, 0]
    settings = {
        "objective": _OBJECTIVES[baseline.task],
        **({"num_class": classes} if classes > 1 else {}),
        # The proposal must not depend on the number of cores; and threads that wait for each other
        # make a loaded machine many times slower.
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }
    rows = lightgbm.Dataset(
        inputs[training], labels[training], categorical_feature=categories or "auto"
    )
    return lightgbm.train(settings, rows, min(_TREES, _MOST_TREES // classes))
