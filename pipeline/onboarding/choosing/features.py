"""Chooses the columns that the model sees: what their values suggest, without proven leaks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pipeline.config import ColumnType, Feature
from pipeline.config.rules.column_names import first_unservable
from pipeline.core.errors import ConfigError
from pipeline.onboarding.choosing.division import Division
from pipeline.onboarding.choosing.drift import hint_at_drift
from pipeline.onboarding.choosing.families.places import pair_places
from pipeline.onboarding.choosing.families.siblings import align_siblings
from pipeline.onboarding.choosing.keys import hint_at_keys
from pipeline.onboarding.choosing.number_keys import hint_at_number_keys
from pipeline.onboarding.choosing.spelling import read_spelling
from pipeline.onboarding.choosing.trials import settle_by_trial
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline, select_best_columns
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.kinds import choose_feature
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.leaks import Leak, find_leaks
from pipeline.onboarding.judging.number_columns import is_coordinate
from pipeline.onboarding.judging.scores import BaselineScore, Score
from pipeline.onboarding.judging.sentinels import remark_on_sentinels
from pipeline.onboarding.judging.trees import score_trees
from pipeline.onboarding.reading.arrays import Flags
from pipeline.onboarding.reading.columns import Column

_KINDS_WITH_PARTS = ("text", "timestamp")
"""Kinds of which a model sees words or parts. The score of a single column compares whole cells."""
_SIGNAL = 0.02
"""Skill below which a column predicts nothing worth a mention, and the columns besides a leak do
not predict the label: for an AUC, up to 0.51."""


@dataclass(frozen=True)
class Features:
    """The choice for every column but the label, and how well the features predict the label."""

    choices: dict[str, FeatureChoice]
    baseline: BaselineScore
    """What all features predict together on held-out rows."""
    are_parts_scored: bool
    """Whether `baseline` takes the words of texts and the parts of times into account."""
    warnings: tuple[str, ...]
    possible_keys: tuple[str, ...] = ()
    """The columns that may own several rows each, where the rows are not divided by key."""

    @property
    def chosen(self) -> dict[str, FeatureChoice]:
        return {n: c for n, c in self.choices.items() if c.feature}

    @property
    def proposed(self) -> dict[str, Feature]:
        """The section `features` of the configuration."""
        return {n: c.feature.value for n, c in self.choices.items() if c.feature}

    @property
    def column_types(self) -> dict[str, Guess[ColumnType]]:
        """The types of columns that type inference could get wrong, also of columns left out."""
        return {n: c.column_type for n, c in self.choices.items() if c.column_type}

    @property
    def unscored(self) -> tuple[str, ...]:
        """The features whose words or parts the baseline did not score."""
        if self.are_parts_scored:
            return ()
        return tuple(n for n, c in self.chosen.items() if _has_parts(c))

    @property
    def left_out(self) -> dict[str, str]:
        """The reasons, by column."""
        return {n: c.why_not for n, c in self.choices.items() if not c.feature}


def choose_features(
    columns: Mapping[str, Column],
    label: Label,
    division: Division,
    smallest_share: float,
    exclude: Collection[str] = (),
    in_train: Flags | None = None,
) -> Features:
    """Decides on every column but the label.

    Args:
      columns: all columns of the table.
      label: the label.
      division: what divides the rows into splits.
      smallest_share: the share of the smallest split.
      exclude: the columns that the user leaves out.
      in_train: bool [sampled rows], the rows of split train, where the split is known already: no
        other rows are then scored.

    Raises:
      ConfigError: no column is left for the model.
    """
    outputs = label.outputs
    choices = {
        n: choose_feature(c, smallest_share, outputs)
        for n, c in columns.items()
        if n != label.column
    }
    choices = _drop_unservable_names(align_siblings(columns, choices))
    choices |= {n: FeatureChoice(None, "by --exclude") for n in exclude}
    key = division.key
    if key:
        choices[key] = FeatureChoice(
            None, "the key of the split: rows of another split have other keys"
        )
    baseline = Baseline(
        label,
        columns[label.column],
        len(columns),
        columns[key] if key else None,
        division.times,
        in_train,
    )
    scored = {n: columns[n] for n, c in choices.items() if c.feature}
    scores = {n: baseline.score_column(c) for n, c in scored.items()}
    choices = {n: _add_score(c, scores.get(n)) for n, c in choices.items()}
    choices = {n: _add_sentinel_remark(c, columns[n]) for n, c in choices.items()}
    leaks = find_leaks(baseline, label.column, scored, scores)
    left_out = _choose_leaks_to_drop(baseline, scored, scores, leaks, choices)
    warnings = [c.warning for c in choices.values() if c.warning]
    key_hints: dict[str, str] = {}
    if division.by == "row":
        key_hints = _hint_at_keys(columns, label.column, choices)
    if division.by != "time":
        warnings += [*key_hints.values(), *hint_at_drift(baseline, _list_times(columns, choices))]
    for name, leak in leaks.items():
        fate = "kept, since nothing else predicts the label" if leak.is_proven else "kept"
        fate = "left out" if name in left_out else fate
        warnings.append(f"{name}: {fate}; {leak.why}")
        choices[name] = _apply_leak(choices[name], leak, name in left_out)
    ranked = [n for n in select_best_columns(scores) if choices[n].feature]
    spelled = [n for n, c in choices.items() if c.is_spelled]
    choices = settle_by_trial(baseline, columns, choices, ranked)
    choices = read_spelling(baseline, columns, choices, ranked, spelled, outputs)
    degrees = [n for n, c in columns.items() if c.is_number and is_coordinate(c)]
    choices = pair_places(_drop_unservable_names(choices), degrees)
    if not any(c.feature for c in choices.values()):
        raise _make_no_feature_error(choices)
    scored |= {n: columns[n] for n, c in choices.items() if c.feature and n not in scored}
    scores |= {n: baseline.score_column(c) for n, c in scored.items() if n not in scores}
    kept = {n: s for n, s in scores.items() if choices[n].feature}
    choices = {n: _add_column_type(c, columns[n]) for n, c in choices.items()}
    features = {n: chosen.value for n in kept if (chosen := choices[n].feature)}
    found, has_trees = _score_with_trees(baseline, scored, kept, features)
    return Features(choices, found, has_trees, tuple(warnings), tuple(key_hints))


def _list_times(
    columns: Mapping[str, Column], choices: Mapping[str, FeatureChoice]
) -> list[Column]:
    return [
        columns[n] for n, c in choices.items() if c.feature and c.feature.value.kind == "timestamp"
    ]


def _hint_at_keys(
    columns: Mapping[str, Column], label_column: str, choices: Mapping[str, FeatureChoice]
) -> dict[str, str]:
    """Says of each column that may be a key how to divide the rows by it."""
    kinds = {n: c.feature.value.kind for n, c in choices.items() if c.feature}
    codes = [n for n, kind in kinds.items() if kind in ("categorical", "hashed")]
    numbers = [n for n, kind in kinds.items() if kind in ("numeric", "bucketized")]
    others = [n for n, kind in kinds.items() if kind != "timestamp"]
    return {
        **hint_at_keys(columns, label_column, codes),
        **hint_at_number_keys(columns, label_column, numbers, others),
    }


def _drop_unservable_names(choices: Mapping[str, FeatureChoice]) -> dict[str, FeatureChoice]:
    """Leaves out columns whose names a served model cannot have beside the names before."""
    settled: dict[str, FeatureChoice] = {}
    for name, choice in choices.items():
        names = [n for n, c in settled.items() if c.feature]
        if choice.feature and (unservable := first_unservable([*names, name])):
            choice = FeatureChoice(None, unservable[1], choice.warning)
        settled[name] = choice
    return settled


def _add_column_type(choice: FeatureChoice, column: Column) -> FeatureChoice:
    """Reads a mix of numbers and words as text.

    Type inference might take the column for numbers and ExampleGen would refuse the words, also
    where the column holds categories or is left out.
    """
    is_mixed = not column.is_number and len(column.numbers) > len(column.cells) / 2
    if choice.column_type or not is_mixed:
        return choice
    return replace(choice, column_type=Guess("string", "words among the numbers"))


def _has_parts(choice: FeatureChoice) -> bool:
    return choice.feature is not None and choice.feature.value.kind in _KINDS_WITH_PARTS


def _add_score(choice: FeatureChoice, score: Score | None) -> FeatureChoice:
    if choice.feature is None or score is None:
        return choice
    if _has_parts(choice) and score.skill < _SIGNAL:
        return choice
    return replace(choice, feature=Guess(choice.feature.value, f"{choice.feature.why}; {score}"))


def _add_sentinel_remark(choice: FeatureChoice, column: Column) -> FeatureChoice:
    """Remarks on numbers that may mean missing, where the model would take them as they are."""
    if choice.feature is None or choice.feature.value.kind not in ("numeric", "bucketized"):
        return choice
    if not (remark := remark_on_sentinels(column)):
        return choice
    why = f"{choice.feature.why}; {remark}"
    return replace(choice, feature=Guess(choice.feature.value, why))


def _apply_leak(choice: FeatureChoice, leak: Leak, is_left_out: bool) -> FeatureChoice:
    if is_left_out:
        return FeatureChoice(None, leak.why, choice.warning)
    assert choice.feature is not None
    return replace(choice, feature=Guess(choice.feature.value, f"LEAK? {leak.why}"))


def _choose_leaks_to_drop(
    baseline: Baseline,
    columns: Mapping[str, Column],
    scores: Mapping[str, Score],
    leaks: Mapping[str, Leak],
    choices: Mapping[str, FeatureChoice],
) -> set[str]:
    """Returns the leaks to leave out.

    If nothing else predicts the label, a suspected leak may be the only useful column. Then only
    duplicates of the label are left out, unless no feature would remain.
    """
    proven = {n for n, leak in leaks.items() if leak.is_proven}
    rest = _score_best(baseline, columns, {n: s for n, s in scores.items() if n not in proven})
    if rest.score.skill < _SIGNAL:
        proven = {n for n in proven if leaks[n].is_copy}
    remaining = [n for n, c in choices.items() if c.feature and n not in proven]
    return proven if remaining else set()


def _score_best(
    baseline: Baseline, columns: Mapping[str, Column], scores: Mapping[str, Score]
) -> BaselineScore:
    return baseline.score_together([columns[n] for n in select_best_columns(scores)])


def _score_with_trees(
    baseline: Baseline,
    columns: Mapping[str, Column],
    scores: Mapping[str, Score],
    features: Mapping[str, Feature],
) -> tuple[BaselineScore, bool]:
    """Returns the score of the simple baseline or of trees, whichever is higher.

    In the order of time, the trees count alone: the baseline learns from later rows as well.

    Returns:
      The score, and whether trees were fitted, which alone see words and parts of times.
    """
    trees = score_trees(baseline, [columns[n] for n in select_best_columns(scores)], features)
    if trees and baseline.is_ordered:
        return trees, True
    simple = _score_best(baseline, columns, scores)
    best = max(filter(None, (simple, trees)), key=lambda found: found.score.skill)
    return best, trees is not None


def _make_no_feature_error(choices: Mapping[str, FeatureChoice]) -> ConfigError:
    shown = "; ".join(f"{n}: {c.why_not}" for n, c in list(choices.items())[:5])
    return ConfigError("the table has no column to learn from besides the label", shown)
