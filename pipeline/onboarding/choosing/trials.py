"""Decides by trial what the values alone leave open: a category, a number, both, or no feature.

Codes can be ordered: neighbouring postal codes are neighbouring places. Such a code can be a
number, or a number beside the category where a few codes are unlike their neighbours. Values of a
few rows each can say something about new rows, or a model learns them by heart. Boosted trees are
fitted with each of the possible kinds, and the loss on held-out rows decides. A category with few
rows a value is kept only if a trial speaks for it, and then with an embedding of one number: in the
trial it was one number, too, the mean label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32
from pipeline.onboarding.choosing.few_rows import (
    describe_rows,
    has_few_rows_a_value,
    leave_out_untried,
    soften,
)
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.name_hints import is_calendar_name
from pipeline.onboarding.judging.number_columns import guess_scale
from pipeline.onboarding.judging.trees import encode_input, fit_trees, is_numeric_input
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column

Kind = Literal["category", "number", "both", "nothing"]

_MOST_ROWS = 10_000
"""Bounds the time: a trial of one column takes about a second."""
_FEWEST_ROWS = 500
"""With fewer rows, chance decides a trial."""
_MOST_CLASSES = 20
"""With more classes a trial would take too long."""
_MOST_OTHERS = 12
"""Columns beside the one that is tried: the best ones, which may say the same."""
_MOST_TRIALS = 8
"""Bounds the time of tables with many codes."""
_FOLDS_TRIED = 2
_TREES = 40
_FEWEST_CODES = 10
"""Different values that codes must exceed: a category follows any order of fewer values."""
_CLEAR = 2.0
"""Standard errors by which another kind must be better than the one that the values suggest."""


@dataclass(frozen=True)
class _Trial:
    """The losses of held-out rows, float64 [rows], with each kind of a column."""

    losses: Mapping[Kind, Floats]

    def is_better(self, kind: Kind, than: Kind) -> bool:
        """Whether `kind` has a lower loss, by more than chance explains."""
        gains = self.losses[than] - self.losses[kind]
        error = float(gains.std()) / np.sqrt(len(gains))
        return bool(gains.mean() > _CLEAR * error and gains.mean() > 0)

    def compare(self, kind: Kind, than: Kind) -> str:
        """Returns the mean losses in words."""
        return f"loss {self.losses[kind].mean():.3g} against {self.losses[than].mean():.3g}"


def settle_by_trial(
    baseline: Baseline, columns: Mapping[str, Column], choices: Mapping[str, FeatureChoice],
    ranked: Sequence[str],
) -> dict[str, FeatureChoice]:  # fmt: skip
    """Returns the choices, with those that a trial decides replaced.

    Args:
      baseline: the label and the folds.
      columns: all columns.
      choices: what the values suggest for each column.
      ranked: the features, the best first.
    """
    kinds = {n: _list_kinds(columns[n], choices[n]) for n in choices}
    tried = [n for n in ranked if len(kinds[n]) > 1][:_MOST_TRIALS]
    why = "other columns took the time for trials"
    if impossible := _explain_impossible(baseline):
        tried, why = [], impossible
    untried = [n for n in choices if "nothing" in kinds[n] and n not in tried]
    settled = dict(choices)
    for name in tried:
        kept = [n for n in ranked if settled[n].feature and n not in (name, *untried)]
        others = [columns[n] for n in kept[:_MOST_OTHERS]]
        trial = _run_trial(baseline, columns[name], others, kinds[name])
        settled[name] = _apply(trial, columns[name], choices[name])
    return leave_out_untried(settled, {n: columns[n] for n in untried}, why)


def _explain_impossible(baseline: Baseline) -> str:
    """Returns why the table allows no trial, or an empty string if it does."""
    if len(baseline.rows) < _FEWEST_ROWS:
        return f"a trial takes {_FEWEST_ROWS} rows"
    if len(baseline.classes) > _MOST_CLASSES:
        return f"a trial takes at most {_MOST_CLASSES} classes"
    return ""


def _list_kinds(column: Column, choice: FeatureChoice) -> tuple[Kind, ...]:
    """Returns the kinds that are tried for a column; one if nothing is to be tried."""
    kind = choice.feature.value.kind if choice.feature else ""
    if kind not in ("categorical", "hashed"):
        return ()
    kinds: list[Kind] = ["category"]
    if _can_be_number(column):
        kinds += ["number", "both"]
    if has_few_rows_a_value(column):
        kinds.append("nothing")
    return tuple(kinds)


def _can_be_number(column: Column) -> bool:
    is_whole = column.is_number and column.scan.is_integral
    # Larger codes would merge.
    is_exact = max(-column.scan.low, column.scan.high) <= LARGEST_EXACT_IN_FLOAT32
    has_many = column.distinct > _FEWEST_CODES
    return is_whole and is_exact and has_many and not is_calendar_name(column.name)


def _run_trial(
    baseline: Baseline, column: Column, others: Sequence[Column], kinds: Sequence[Kind]
) -> _Trial:
    sampled = slice(None, None, -(-len(baseline.rows) // _MOST_ROWS) or None)
    targets, folds = baseline.targets[sampled], baseline.folds[sampled]
    shared = [encode_input(baseline, c, is_numeric_input(c))[sampled, None] for c in others]
    categories = [i for i, c in enumerate(others) if not is_numeric_input(c)]
    losses: dict[Kind, list[Floats]] = {kind: [] for kind in kinds}
    for fold in np.unique(folds)[-_FOLDS_TRIED:]:
        held_out = folds == fold
        training = folds < fold if baseline.is_ordered else ~held_out
        for kind in kinds:
            own = _encode(baseline, column, kind, int(fold))[sampled]
            inputs = np.hstack([*shared, own])
            is_coded = kind in ("category", "both") and not has_few_rows_a_value(column)
            coded = [*categories, len(others)] if is_coded else categories
            model = fit_trees(baseline, inputs, targets, training, coded, trees=_TREES)
            predicted = model.predict(inputs[held_out]).reshape(held_out.sum(), -1)
            losses[kind].append(_loss(baseline, targets[held_out], predicted))
    return _Trial({kind: np.concatenate(parts) for kind, parts in losses.items()})


def _encode(baseline: Baseline, column: Column, kind: Kind, fold: int) -> Floats:
    """Returns the column as inputs of trees, float64 [rows, inputs]."""
    if kind == "nothing":
        return np.zeros((len(baseline.rows), 1))
    if kind == "both":
        of_category = _encode(baseline, column, "category", fold)
        return np.hstack([of_category, _encode(baseline, column, "number", fold)])
    if kind == "category" and has_few_rows_a_value(column):
        # Trees ignore values of few rows. Their mean labels say how much they tell.
        return baseline.encode_means(column, fold)
    return encode_input(baseline, column, kind == "number")[:, None]


def _loss(baseline: Baseline, targets: Floats, predicted: Floats) -> Floats:
    """Returns float64 [rows]: the squared error, or the log loss."""
    if baseline.task == "regression":
        squared: Floats = ((targets - predicted) ** 2)[:, 0]
        return squared
    if targets.shape[1] == 1:
        targets = np.hstack([targets, 1 - targets])
        predicted = np.hstack([predicted, 1 - predicted])
    losses: Floats = -np.log(np.maximum((targets * predicted).sum(axis=1), 1e-7))
    return losses


def _apply(trial: _Trial, column: Column, choice: FeatureChoice) -> FeatureChoice:
    softened = soften(choice, column)
    assert choice.feature is not None
    assert softened.feature is not None
    kinds = trial.losses
    is_useful = "nothing" not in kinds or (
        "number" in kinds and trial.is_better("number", "nothing")
    )
    if "both" in kinds and all(trial.is_better("both", kind) for kind in kinds if kind != "both"):
        shown = f"{trial.compare('both', 'category')} as a category"
        why = f"ordered codes: with the number better than without it in a trial ({shown})"
        feature = softened.feature.value.model_copy(update={"ordered": True})
        return replace(softened, feature=Guess(feature, f"{softened.feature.why}; {why}"))
    if "number" in kinds and is_useful and trial.is_better("number", "category"):
        shown = trial.compare("number", "category")
        why = f"ordered codes: as a number better than as a category in a trial ({shown})"
        return replace(choice, feature=Guess(guess_scale(column).value, why), column_type=None)
    if "nothing" in kinds and not trial.is_better("category", "nothing"):
        shown = trial.compare("nothing", "category")
        why = f"{describe_rows(column)}, and a trial without the column was no worse ({shown})"
        return FeatureChoice(None, why, choice.warning)
    return softened
