"""Decides by trial what the values alone leave open: a category, a number, both, or no feature.

Codes can be ordered: neighbouring postal codes are neighbouring places. Such a code can be a
number, or a number beside the category where a few codes are unlike their neighbours. Values of a
few rows each can say something about new rows, or a model learns them by heart. Boosted trees are
fitted with each of the possible kinds, and the loss on held-out rows decides. A category with few
rows a value is kept only if a trial speaks for it, and then with an embedding of one number: in the
trial it was one number, too, the mean label.

Trees split a few numbers well in any order. So the order of codes tells something only if the codes
predict better than the same codes in a shuffled order. Siblings, such as `code_1` to `code_4`, are
tried together and get one kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32
from pipeline.core.text import counted
from pipeline.onboarding.choosing.families.siblings import find_numbered
from pipeline.onboarding.choosing.few_rows import (
    describe_rows,
    has_few_rows_a_value,
    has_too_few_rows_a_value,
    leave_out_untried,
    soften,
)
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.name_hints import is_calendar_name
from pipeline.onboarding.judging.number_columns import guess_scale
from pipeline.onboarding.judging.parts import encode_spelling
from pipeline.onboarding.judging.trees import encode_input, fit_trees, is_numeric_input
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column

Kind = Literal["category", "number", "both", "shuffled", "spelling", "nothing"]
"""What trees get of a column; `shuffled` is the number in a random order of the values."""

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
_MOST_NGRAMS = 100
"""Of the spelling: each is an input."""
_FOLDS_TRIED = 2
_TREES = 40
_FEWEST_CODES = 10
"""Different values that codes must exceed: a category follows any order of fewer values."""
_CLEAR = 2.0
"""Standard errors by which another kind must be better than the one that the values suggest."""
_ORDERED = 4.0
"""The same for a number: of many codes without an order, chance lets some exceed two of them."""


@dataclass(frozen=True)
class _Input:
    """An input of trees."""

    values: Floats
    """float64 [sampled rows], NaN where the value is missing."""
    is_coded: bool = False
    """Whether the values are codes of categories."""


@dataclass(frozen=True)
class Trial:
    """The losses of held-out rows, float64 [rows], with each kind of the columns."""

    names: Sequence[str]
    losses: Mapping[Kind, Floats]

    def is_better(self, kind: Kind, than: Kind, errors: float = _CLEAR) -> bool:
        """Whether `kind` has a lower loss, by more than chance explains."""
        gains = self.losses[than] - self.losses[kind]
        error = float(gains.std()) / np.sqrt(len(gains))
        return bool(gains.mean() > errors * error and gains.mean() > 0)

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the values tells something."""
        return "shuffled" in self.losses and self.is_better("number", "shuffled", _ORDERED)

    def compare(self, kind: Kind, than: Kind) -> str:
        """Returns the mean losses in words."""
        shown = f"loss {self.losses[kind].mean():.3g} against {self.losses[than].mean():.3g}"
        others = len(self.names) - 1
        return f"{shown}, together with {counted(others, 'sibling')}" if others else shown


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
    groups = _group_siblings(columns, kinds, ranked)[:_MOST_TRIALS]
    why = "other columns took the time for trials"
    if impossible := explain_impossible(baseline):
        groups, why = [], impossible
    tried = {n for group in groups for n in group}
    untried = [n for n in choices if "nothing" in kinds[n] and n not in tried]
    settled = dict(choices)
    for group in groups:
        own = [columns[n] for n in group[:_MOST_OTHERS]]
        others = [n for n in ranked if n not in (*group, *untried)]
        trial = run_trial(baseline, own, kinds[group[0]], columns, settled, others)
        settled |= {n: _apply(trial, columns[n], choices[n]) for n in group}
    untried += [
        n for n in tried if _is_category(settled[n]) and has_too_few_rows_a_value(columns[n])
    ]
    return leave_out_untried(settled, {n: columns[n] for n in untried}, why)


def _group_siblings(
    columns: Mapping[str, Column], kinds: Mapping[str, Sequence[Kind]], ranked: Sequence[str]
) -> list[list[str]]:
    """Returns the columns to try, siblings together, the group of the best column first."""
    names = [*ranked, *(n for n in kinds if n not in ranked)]
    # Names that differ in a word say less: the codes of one place may be ordered, of another not.
    families = find_numbered([n for n in names if "number" in kinds[n]])
    groups: list[list[str]] = []
    grouped: set[str] = set()
    for name in ranked:
        if name in grouped or not _needs_trial(kinds[name], columns[name]):
            continue
        family = next((f for f in families if name in f), [name])
        group = [n for n in family if kinds[n] == kinds[name] and n not in grouped]
        groups.append(group)
        grouped.update(group)
    return groups


def _needs_trial(kinds: Sequence[Kind], column: Column) -> bool:
    return "number" in kinds or (len(kinds) > 1 and not has_too_few_rows_a_value(column))


def _is_category(choice: FeatureChoice) -> bool:
    return choice.feature is not None and choice.feature.value.kind in ("categorical", "hashed")


def explain_impossible(baseline: Baseline) -> str:
    """Returns why the table allows no trial, or an empty string if it does."""
    if len(baseline.rows) < _FEWEST_ROWS:
        return f"a trial takes {_FEWEST_ROWS} rows"
    if len(baseline.classes) > _MOST_CLASSES:
        return f"a trial takes at most {_MOST_CLASSES} classes"
    return ""


def _list_kinds(column: Column, choice: FeatureChoice) -> tuple[Kind, ...]:
    """Returns the kinds that are tried for a column; one if nothing is to be tried."""
    if not _is_category(choice):
        return ()
    kinds: list[Kind] = ["category"]
    if _can_be_number(column):
        kinds += ["number", "both", "shuffled"]
    if has_few_rows_a_value(column):
        kinds.append("nothing")
    return tuple(kinds)


def _can_be_number(column: Column) -> bool:
    is_whole = column.is_number and column.scan.is_integral
    # Larger codes would merge.
    is_exact = max(-column.scan.low, column.scan.high) <= LARGEST_EXACT_IN_FLOAT32
    has_many = column.distinct > _FEWEST_CODES
    return is_whole and is_exact and has_many and not is_calendar_name(column.name)


def run_trial(
    baseline: Baseline, tried: Sequence[Column], kinds: Sequence[Kind],
    columns: Mapping[str, Column], choices: Mapping[str, FeatureChoice], ranked: Sequence[str],
) -> Trial:  # fmt: skip
    """Fits trees with each of the kinds.

    Args:
      baseline: the label and the folds.
      tried: the columns that are tried together.
      kinds: what the trees get of them.
      columns: all columns.
      choices: what was chosen so far.
      ranked: the other columns, the best first; the trees get those that are features.
    """
    sampled = slice(None, None, -(-len(baseline.rows) // _MOST_ROWS) or None)
    kept = [n for n in ranked if choices[n].feature]
    others = [_encode_other(baseline, columns[n], choices[n], sampled) for n in kept[:_MOST_OTHERS]]
    targets, folds = baseline.targets[sampled], baseline.folds[sampled]
    losses: dict[Kind, list[Floats]] = {kind: [] for kind in kinds}
    for fold in np.unique(folds)[-_FOLDS_TRIED:]:
        held_out = folds == fold
        training = folds < fold if baseline.is_ordered else ~held_out
        for kind in kinds:
            own = [i for c in tried for i in _encode(baseline, c, kind, int(fold), sampled)]
            inputs = np.stack([i.values for i in (*others, *own)], axis=1)
            coded = [n for n, i in enumerate((*others, *own)) if i.is_coded]
            model = fit_trees(baseline, inputs, targets, training, coded, trees=_TREES)
            predicted = model.predict(inputs[held_out]).reshape(held_out.sum(), -1)
            losses[kind].append(_loss(baseline, targets[held_out], predicted))
    names = [c.name for c in tried]
    return Trial(names, {kind: np.concatenate(parts) for kind, parts in losses.items()})


def _encode_other(
    baseline: Baseline, column: Column, choice: FeatureChoice, sampled: slice
) -> _Input:
    """Returns a column beside the tried ones, a category as the Trainer's trees get it."""
    is_number = is_numeric_input(column)
    if _is_category(choice) and not has_few_rows_a_value(column):
        is_number = False
    values = encode_input(baseline, column, is_number)[sampled]
    return _Input(values, is_coded=not is_number)


def _encode(
    baseline: Baseline, column: Column, kind: Kind, fold: int, sampled: slice
) -> list[_Input]:
    """Returns the column as inputs of trees, for the rows `sampled`."""
    rows = baseline.rows[sampled]
    if kind == "nothing":
        return [_Input(np.zeros(len(rows)))]
    if kind == "spelling":
        return [_Input(marks) for marks in encode_spelling(column, rows, _MOST_NGRAMS).T]
    if kind == "both":
        return [
            *_encode(baseline, column, "category", fold, sampled),
            *_encode(baseline, column, "number", fold, sampled),
        ]
    if kind == "shuffled":
        order = np.random.default_rng(fold).permutation(len(column.categories)).astype(np.float64)
        # A missing value has the code -1.
        return [_Input(np.append(order, np.nan)[column.codes[rows]])]
    if kind == "category" and has_few_rows_a_value(column):
        # Trees ignore values of few rows. Their mean labels say how much they tell.
        return [_Input(means) for means in baseline.encode_means(column, fold)[sampled].T]
    is_category = kind == "category"
    values = encode_input(baseline, column, not is_category)[sampled]
    return [_Input(values, is_coded=is_category)]


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


def _apply(trial: Trial, column: Column, choice: FeatureChoice) -> FeatureChoice:
    softened = soften(choice, column)
    assert choice.feature is not None
    assert softened.feature is not None
    kinds = trial.losses
    is_useful = "nothing" not in kinds or (
        "number" in kinds and trial.is_better("number", "nothing")
    )
    if trial.is_ordered and all(trial.is_better("both", k) for k in kinds if k != "both"):
        shown = trial.compare("both", "category")
        why = f"with the number better than as a category alone in a trial ({shown})"
        feature = softened.feature.value.model_copy(update={"ordered": True})
        return replace(softened, feature=Guess(feature, f"{softened.feature.why}; {why}"))
    if trial.is_ordered and is_useful and trial.is_better("number", "category", _ORDERED):
        shown = trial.compare("number", "category")
        why = f"as a number better than as a category in a trial ({shown})"
        return replace(choice, feature=Guess(guess_scale(column).value, why), column_type=None)
    if "nothing" in kinds and not trial.is_better("category", "nothing"):
        shown = trial.compare("nothing", "category")
        why = f"{describe_rows(column)}, and a trial without the column was no worse ({shown})"
        return FeatureChoice(None, why, choice.warning)
    return softened
