"""Warns of classes with few rows, and names each class once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.judging.label import Label

_RARE_ROWS = 10
"""Rows below which a class may well be missing from a split of a tenth of the rows."""
_SCARCE = 10
"""A class with less than a tenth of an even share is reported: a model can ignore such a class at
hardly any loss."""
_MOST_SHOWN = 5
"""Classes that a warning lists, so that it stays one line."""


def warn_of_classes(label: Label, split_counts: SplitCounts) -> list[str]:
    """Returns the warnings; a class is in the first of them that it belongs to."""
    if not label.classes.value:
        return []
    counts = dict(zip(label.classes.value, label.counts, strict=True))
    has_empty_split = not all(split_counts.rows.values())
    missing = (
        {} if split_counts.is_estimate or has_empty_split else _find_missing(label, split_counts)
    )
    rare = {c: n for c, n in counts.items() if n < _RARE_ROWS and c not in missing}
    scarce = {
        c: n
        for c, n in counts.items()
        if n < sum(counts.values()) / len(counts) / _SCARCE and c not in {*missing, *rare}
    }
    return [
        *_warn_of_missing(missing),
        *_warn_of_rare(label.column, rare, split_counts.is_estimate),
        *_warn_of_scarce(label.column, scarce, counts),
    ]


def _find_missing(label: Label, split_counts: SplitCounts) -> dict[str, list[str]]:
    """Returns the splits without a row of a class, by class."""
    names, is_absent = np.array(list(split_counts.rows)), split_counts.counts == 0
    return {
        c: names[absent].tolist()
        for c, absent in zip(label.classes.value, is_absent.T, strict=True)
        if absent.any()
    }


def _warn_of_missing(missing: dict[str, list[str]]) -> Iterator[str]:
    if missing:
        gaps = [f"{c!r} in {_join(splits)}" for c, splits in missing.items()]
        yield f"classes too rare for every split: no row of {_shorten(gaps)}"


def _warn_of_rare(column: str, rare: dict[str, int], is_estimate: bool) -> Iterator[str]:
    if rare:
        shown = _shorten([f"{c!r} ({n})" for c, n in sorted(rare.items(), key=lambda i: i[1])])
        what = "may be missing from a split" if is_estimate else "are hard to learn and to measure"
        yield f"{column}: classes with few rows {what}: {shown}"


def _warn_of_scarce(column: str, scarce: dict[str, int], counts: dict[str, int]) -> Iterator[str]:
    if not scarce:
        return
    rarest = min(scarce, key=lambda c: scarce[c])
    name = "the rarer class" if len(counts) == 2 else f"class {rarest!r}"
    others = len(scarce) - 1
    more = f"; {others} more {'classes are' if others > 1 else 'class is'} scarce" if others else ""
    share = percent(scarce[rarest] / sum(counts.values()))
    yield f"{column}: only {share} of the rows are of {name}{more}"


def _shorten(items: Sequence[str]) -> str:
    others = len(items) - _MOST_SHOWN
    more = f", and {others} more {'class' if others == 1 else 'classes'}" if others > 0 else ""
    return ", ".join(items[:_MOST_SHOWN]) + more


def _join(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
