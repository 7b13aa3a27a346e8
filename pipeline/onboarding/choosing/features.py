"""Which columns the model sees: what their values suggest, minus those that give the label away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.config import ColumnType
from pipeline.config.rules.column_names import first_unservable
from pipeline.core.errors import ConfigError
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Evidence, best_columns
from pipeline.onboarding.judging.feature_choice import Choice
from pipeline.onboarding.judging.kinds import choose_kind
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.leaks import Leak, find_leaks
from pipeline.onboarding.judging.scores import Reach, Score
from pipeline.onboarding.judging.sentinels import remark_on_sentinels
from pipeline.onboarding.reading.columns import Column

_TAKEN_APART = ("text", "timestamp")
"""Kinds that a model sees the words or parts of; here, cells are held against each other whole."""
_SIGNAL = 0.02


@dataclass(frozen=True)
class Features:
    """The choice for every column but the label, and what the chosen ones are good for."""

    choices: dict[str, Choice]
    reach: Reach
    """What all chosen columns together predict on held-out rows."""
    warnings: tuple[str, ...]

    @property
    def chosen(self) -> dict[str, Choice]:
        return {n: c for n, c in self.choices.items() if c.feature}

    @property
    def column_types(self) -> dict[str, Guess[ColumnType]]:
        """The types of columns that inference could get wrong, those left out among them."""
        return {n: c.column_type for n, c in self.choices.items() if c.column_type}

    @property
    def untried(self) -> tuple[str, ...]:
        """The chosen columns whose part in that is hardly known."""
        return tuple(n for n, c in self.chosen.items() if _is_taken_apart(c))

    @property
    def left_out(self) -> dict[str, str]:
        """The reasons, by column."""
        return {n: c.why_not for n, c in self.choices.items() if not c.feature}


def choose_features(
    columns: Mapping[str, Column], label: Label, key: str | None, smallest_share: float
) -> Features:
    """Decides on every column.

    Raises:
      ConfigError: no column is left for the model.
    """
    choices = {n: choose_kind(c, smallest_share) for n, c in columns.items() if n != label.column}
    choices = _without_unservable_names(choices)
    if key:
        choices[key] = Choice(None, "the key of the split: no value of the test rows is trained on")
    by = columns[key] if key else None
    evidence = Evidence(label, columns[label.column], len(columns), by)
    scored = {n: columns[n] for n, c in choices.items() if c.feature}
    scores = {n: evidence.alone(c) for n, c in scored.items()}
    choices = {n: _with_score(c, scores.get(n)) for n, c in choices.items()}
    choices = {n: _with_remark(c, columns[n]) for n, c in choices.items()}
    leaks = find_leaks(evidence, label.column, scored, scores)
    left_out = _settle(evidence, scored, scores, leaks, choices)
    warnings = [c.warning for c in choices.values() if c.warning]
    for name, leak in leaks.items():
        fate = "kept, since nothing else predicts the label" if leak.is_proven else "kept"
        fate = "left out" if name in left_out else fate
        warnings.append(f"{name}: {fate}; {leak.why}")
        choices[name] = _judged(choices[name], leak, name in left_out)
    if not any(c.feature for c in choices.values()):
        raise _nothing_left(choices)
    kept = {n: s for n, s in scores.items() if n not in left_out}
    choices = {n: _typed(c, columns[n]) for n, c in choices.items()}
    return Features(choices, _reach(evidence, scored, kept), tuple(warnings))


def _without_unservable_names(choices: Mapping[str, Choice]) -> dict[str, Choice]:
    settled: dict[str, Choice] = {}
    for name, choice in choices.items():
        named = [n for n, c in settled.items() if c.feature]
        if choice.feature and (unservable := first_unservable([*named, name])):
            choice = replace(choice, feature=None, why_not=unservable[1], column_type=None)
        settled[name] = choice
    return settled


def _typed(choice: Choice, column: Column) -> Choice:
    """Words among numbers are no mistake where they are categories, or not used at all."""
    are_mixed = not column.is_number and len(column.numbers) > len(column.cells) / 2
    if choice.column_type or not are_mixed:
        return choice
    return replace(choice, column_type=Guess("string", "words stand among its numbers"))


def _is_taken_apart(choice: Choice) -> bool:
    return choice.feature is not None and choice.feature.value.kind in _TAKEN_APART


def _with_score(choice: Choice, score: Score | None) -> Choice:
    if choice.feature is None or score is None:
        return choice
    if _is_taken_apart(choice) and score.skill < _SIGNAL:
        return choice
    return replace(choice, feature=Guess(choice.feature.value, f"{choice.feature.why}; {score}"))


def _with_remark(choice: Choice, column: Column) -> Choice:
    """Says which numbers may stand for a missing value, where they would be taken as they are."""
    if choice.feature is None or choice.feature.value.kind not in ("numeric", "bucketized"):
        return choice
    if not (remark := remark_on_sentinels(column)):
        return choice
    why = f"{choice.feature.why}; {remark}"
    return replace(choice, feature=Guess(choice.feature.value, why))


def _judged(choice: Choice, leak: Leak, left_out: bool) -> Choice:
    if left_out:
        return replace(choice, feature=None, why_not=leak.why, column_type=None)
    assert choice.feature is not None
    return replace(choice, feature=Guess(choice.feature.value, f"LEAK? {leak.why}"))


def _settle(
    evidence: Evidence,
    columns: Mapping[str, Column],
    scores: Mapping[str, Score],
    leaks: Mapping[str, Leak],
    choices: Mapping[str, Choice],
) -> set[str]:
    """The leaks to leave out.

    If nothing else predicts the label, a column that does may be all there is to know; then only
    copies of the label are left out, unless they are the only columns.
    """
    proven = {n for n, leak in leaks.items() if leak.is_proven}
    rest = _reach(evidence, columns, {n: s for n, s in scores.items() if n not in proven})
    if rest.score.skill < _SIGNAL:
        proven = {n for n in proven if leaks[n].is_copy}
    remaining = [n for n, c in choices.items() if c.feature and n not in proven]
    return proven if remaining else set()


def _reach(evidence: Evidence, columns: Mapping[str, Column], scores: Mapping[str, Score]) -> Reach:
    return evidence.together([columns[n] for n in best_columns(scores)])


def _nothing_left(choices: Mapping[str, Choice]) -> ConfigError:
    shown = "; ".join(f"{n}: {c.why_not}" for n, c in list(choices.items())[:5])
    return ConfigError("the table has no column to learn from besides the label", shown)
