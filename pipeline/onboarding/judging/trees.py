"""Boosted trees that score how well columns together predict the label, on held-out rows.

`baseline.py` adds up what each column says alone. Trees find what columns say only together, as the
proposed model does. So their score tells what a trained model should at least come near to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.config import Feature
from pipeline.config.sections.families.trees import TreesConfig
from pipeline.config.sections.features import Text, Timestamp
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.parts import encode_moments, encode_text
from pipeline.onboarding.judging.scores import BaselineScore
from pipeline.onboarding.reading.arrays import Flags, Floats
from pipeline.onboarding.reading.columns import Column
from trainer_module.trees.settings import choose_category_rows

_MOST_WORDS = 100
"""Words of all texts together: each is an input. Bounds the time, as the rows do."""
_FEWEST_ROWS = 200
"""Trees with leaves of 20 rows learn nothing from fewer."""
_MOST_ROWS = 20_000
"""Bounds the time: 30 columns take about 3 seconds on two cores."""
_FEWEST_FOLDS_BEFORE = 2
"""Folds that must come before a fold in the order of time: there must be enough to learn from."""
_TREES = 100
_LEARNED = 10.0
"""Learning rate times trees: LightGBM's defaults. Fewer trees learn faster, up to `_FASTEST`."""
_FASTEST = 0.5
_MOST_TREES = 300
"""Bounds the time with many classes, each of which has trees of its own."""
_MOST_CLASSES = 50
"""With more classes, each would have too few trees, and the time would still grow."""


def score_trees(
    baseline: Baseline, columns: Sequence[Column], features: Mapping[str, Feature] | None = None
) -> BaselineScore | None:
    """Scores how well trees on `columns` predict the label in each fold of `baseline`.

    In the order of time, trees predict the later folds from the earlier ones only. `features` tell
    which columns are texts and times, of which trees get the words and the parts.

    Returns None if the rows are too few, or the classes too many.
    """
    sampled = slice(None, None, -(-len(baseline.rows) // _MOST_ROWS) or None)
    # Numbers as they are, also with a long tail: so does the network predict them.
    values, folds = baseline.values[sampled], baseline.folds[sampled]
    if not columns or len(values) < _FEWEST_ROWS or values.shape[1] > _MOST_CLASSES:
        return None
    inputs, categories = _encode_all(baseline, columns, features or {}, sampled)
    parts = []
    for fold in np.unique(folds)[_FEWEST_FOLDS_BEFORE if baseline.is_ordered else 0 :]:
        is_held_out = folds == fold
        training = folds < fold if baseline.is_ordered else ~is_held_out
        model = fit_trees(baseline, inputs, values, training, categories)
        predicted = model.predict(inputs[is_held_out]).reshape(is_held_out.sum(), -1)
        parts.append((values[is_held_out], predicted))
    return baseline.summarize(parts) if len(parts) > 1 else None


def _encode_all(
    baseline: Baseline,
    columns: Sequence[Column],
    features: Mapping[str, Feature],
    sampled: slice,
) -> tuple[Floats, list[int]]:
    """Returns the inputs, float64 [sampled rows, inputs], and which of them hold codes."""
    rows = baseline.rows[sampled]
    texts = sum(isinstance(features.get(column.name), Text) for column in columns)
    parts: list[Floats] = []
    categories: list[int] = []
    for column in columns:
        feature = features.get(column.name)
        if isinstance(feature, Text):
            parts.append(encode_text(column, rows, _MOST_WORDS // texts))
        elif isinstance(feature, Timestamp):
            parts.append(encode_moments(column, rows, feature.format))
        else:
            is_number = is_numeric_input(column)
            if not is_number:
                categories.append(sum(part.shape[1] for part in parts))
            parts.append(encode_input(baseline, column, is_number)[sampled, None])
    return np.hstack(parts), categories


def is_numeric_input(column: Column) -> bool:
    """Whether trees take the column as a number unless told otherwise."""
    return column.is_number or column.is_mostly_numbers


def encode_input(baseline: Baseline, column: Column, as_number: bool) -> Floats:
    """Returns the numbers, or the codes of the categories, float64 [rows]; NaN is missing."""
    if as_number:
        numbers: Floats = column.values[baseline.rows]
        return numbers
    codes = baseline.encode_categories(column)
    return np.where(codes > 0, codes, np.nan)


def fit_trees(
    baseline: Baseline,
    inputs: Floats,
    targets: Floats,
    training: Flags,
    categories: list[int],
    trees: int = _TREES,
) -> Any:
    """Fits a booster on the rows `training`.

    Args:
      baseline: names the task.
      inputs: float64 [rows, columns].
      targets: float64 [rows, targets].
      training: bool [rows].
      categories: the columns of `inputs` that hold codes.
      trees: the number of trees; each class has its own, and many classes get fewer.
    """
    # Imported late: importing takes a second, and only this function needs it.
    from trainer_module.trees.library import lightgbm

    classes = targets.shape[1]
    labels = targets.argmax(axis=1) if classes > 1 else targets[:, 0]
    trees = min(trees, _MOST_TREES // classes)
    settings = {
        "learning_rate": min(_FASTEST, _LEARNED / trees),
        "objective": baseline.task,
        **({"num_class": classes} if classes > 1 else {}),
        # As the Trainer does: with LightGBM's default, few rows would split no category.
        "min_data_per_group": choose_category_rows(TreesConfig(), int(training.sum())),
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
    return lightgbm.train(settings, rows, trees)
