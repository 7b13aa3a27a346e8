"""Gives columns that belong together the same kind, such as `pixel_1` to `pixel_64`.

Whole numbers become categories or numbers by how many of them differ. Among columns alike, chance
decides that: one answer on a scale from 1 to 11 occurs in all its values, the next one misses two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.config.sections.features import Categorical
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.name_hints import is_calendar_name, split_words
from pipeline.onboarding.judging.number_columns import guess_scale
from pipeline.onboarding.reading.columns import Column

_FEWEST_NUMBERED = 3
"""Columns with numbered names that make a family: two may be numbered by chance."""
_MOST_CODES = 20
"""Different values up to which numbers may follow their siblings and become categories."""
_WIDEST = 2.0
"""Columns whose names differ in a word are siblings if no range is wider than twice another."""


def align_siblings(
    columns: Mapping[str, Column], choices: Mapping[str, FeatureChoice]
) -> dict[str, FeatureChoice]:
    """Returns the choices, with one kind for all whole numbers of a family."""
    aligned = dict(choices)
    names = [n for n in choices if _is_open(columns[n], choices[n])]
    for family in _find_families(names, columns):
        kinds = {n: _get_kind(aligned[n]) for n in family}
        if len(set(kinds.values())) < 2:
            continue
        numbers = [n for n in family if kinds[n] == "numeric"]
        are_numbers = 2 * len(numbers) >= len(family)
        for name in family:
            if are_numbers and kinds[name] == "categorical":
                guess = guess_scale(columns[name])
            elif not are_numbers and kinds[name] == "numeric":
                if columns[name].distinct > _MOST_CODES:
                    continue
                guess = Guess(Categorical(), f"{columns[name].distinct} whole numbers")
            else:
                continue
            other = next(n for n in family if kinds[n] != kinds[name])
            why = f"{guess.why}; of the same kind as {other!r}"
            aligned[name] = replace(
                aligned[name], feature=Guess(guess.value, why), column_type=None
            )
    return aligned


def _is_open(column: Column, choice: FeatureChoice) -> bool:
    """Whether the column holds whole numbers that can be categories or numbers."""
    is_whole = column.is_number and column.scan.is_integral
    is_settled = choice.column_type is not None or is_calendar_name(column.name)
    return is_whole and not is_settled and _get_kind(choice) in ("categorical", "numeric")


def find_numbered(names: Sequence[str]) -> list[list[str]]:
    """Returns the families of names that differ in numbers only, in the order given."""
    numbered: dict[str, list[str]] = defaultdict(list)
    for name in names:
        numbered[re.sub(r"\d+", "#", name)].append(name)
    return [f for f in numbered.values() if len(f) >= _FEWEST_NUMBERED]


def _find_families(names: Sequence[str], columns: Mapping[str, Column]) -> list[list[str]]:
    named: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        words = split_words(name)
        for i in range(len(words) if len(words) > 1 else 0):
            others = (*words[:i], "*", *words[i + 1 :])
            named[others].append(name)
    return find_numbered(names) + [
        f for f in named.values() if len(f) > 1 and _have_like_ranges(f, columns)
    ]


def _have_like_ranges(family: Sequence[str], columns: Mapping[str, Column]) -> bool:
    spans = [columns[n].scan.high - columns[n].scan.low for n in family]
    lows = [columns[n].scan.low for n in family]
    is_near = max(lows) - min(lows) <= max(spans) / 2
    return is_near and max(spans) <= _WIDEST * min(spans)


def _get_kind(choice: FeatureChoice) -> str:
    return choice.feature.value.kind if choice.feature else ""
