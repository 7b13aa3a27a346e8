"""The task, by the values of the label: they were counted in every row of the table."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.config import Task
from pipeline.config.rules.column_names import first_unservable
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.text import counted, percent
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.missing_markers import FALSE_WORDS, TRUE_WORDS, Markers
from pipeline.onboarding.reading.scan import MOST_LABELS, Scan

MOST_CLASSES = 200
_FEWEST_ROWS_A_CLASS = 5
_MOST_NUMBERED_CLASSES = 20
_DEFAULT_MAX_MISSING = 0.05

_POSITIVE = TRUE_WORDS | frozenset(("1", "1.0", "positive", "pos", "+", "+1", "present", "success"))
_NEGATIVE = FALSE_WORDS | frozenset(
    ("0", "0.0", "-1", "-1.0", "negative", "neg", "-", "absent", "failure", "none", "normal")
)
_NEGATION = re.compile(r"(no|not|non|un)[\s_-]*(?P<of>.+)")


@dataclass(frozen=True)
class Label:
    """What is proposed for the label, and the figures behind it."""

    column: str
    task: Guess[Task]
    classes: Guess[tuple[str, ...]]
    """Empty for regression."""
    counts: tuple[int, ...]
    """The rows of each class; for regression, the rows with a label."""
    max_missing: Guess[float]
    warnings: tuple[str, ...]


def require_label(label: str, columns: Iterable[str], has_header: bool = True) -> None:
    """Raises ConfigError if there is no such column, naming the nearest, or it cannot be served."""
    names = list(columns)
    if label in names:
        if unservable := first_unservable([label]):
            raise ConfigError(f"--label {label}: {unservable[1]}", "rename the column")
        return
    if not has_header:
        raise ConfigError(
            f"--label {label}: the table seems to have no header: its first row looks like all "
            "others",
            "add a row with the columns' names, or take the label by its place, as in "
            f"--label {names[-1]}",
        )
    near = difflib.get_close_matches(label, names, n=1, cutoff=0.5)
    folded = [n for n in names if n.strip().lower() == label.strip().lower()]
    hint = f"did you mean '{(folded or near)[0]}'?" if folded or near else _name_some(names)
    raise ConfigError(f"--label {label}: the table has no column '{label}'", hint)


def guess_label(scan: Scan, column: Column, markers: Markers) -> Label:
    """Decides the task.

    Raises:
      DataError: the label has no value, or only one.
      ConfigError: it is text with too many different values to be classes.
    """
    counts = {v: n for v, n in scan.labels.items() if v not in markers.missing.value}
    if len(counts) < 2:
        found = f"always {next(iter(counts))!r}" if counts else "missing in every row"
        raise DataError(f"label '{column.name}' is {found}", "nothing can be learnt from it")
    task = _guess_task(counts, column, scan.labels_complete)
    missing = _guess_max_missing(column)
    if task.value == "regression":
        return Label(column.name, task, Guess((), ""), (column.observed,), missing, ())
    order = _order_binary if task.value == "binary" else _order_classes
    classes = order(counts, column)
    numbers = tuple(counts[c] for c in classes.value)
    warnings = tuple(_class_warnings(column.name, dict(zip(classes.value, numbers, strict=True))))
    return Label(column.name, task, classes, numbers, missing, warnings)


def _guess_task(counts: dict[str, int], column: Column, complete: bool) -> Guess[Task]:
    if len(counts) == 2:
        return Guess("binary", "the label has two values")
    shown = f"{len(counts):,}" if complete else f"more than {MOST_LABELS:,}"
    if not column.is_number:
        if complete and len(counts) <= _class_limit(column.observed):
            return Guess("multiclass", f"the label is text with {shown} different values")
        odd = _odd_cells(column)
        raise ConfigError(
            f"label '{column.name}': {shown} different texts are too many for classes"
            + (f", and {odd} keep it from being a number" if odd else ""),
            f"empty the cells with {odd}, or take another label"
            if odd
            else "take another label, or group its values",
        )
    if not column.scan.integral or not complete:
        return Guess("regression", f"the label is a number with {shown} different values")
    if _are_numbered_classes(counts, column):
        return Guess("multiclass", f"the label is one of {shown} whole numbers")
    return Guess("regression", f"the label is a whole number with {shown} different values")


def _class_limit(rows: int) -> int:
    return max(3, min(MOST_CLASSES, rows // _FEWEST_ROWS_A_CLASS))


def _are_numbered_classes(counts: dict[str, int], column: Column) -> bool:
    """Few whole numbers, most of them often; above ten, without gaps and none of them rare."""
    distinct = len({column.number_in(v) for v in counts})
    if distinct < len(counts) or column.observed < 10 * distinct:
        return False
    span = column.scan.high - column.scan.low + 1
    are_dense = span <= distinct and min(counts.values()) >= _FEWEST_ROWS_A_CLASS
    return distinct <= 10 or (distinct <= _MOST_NUMBERED_CLASSES and are_dense)


def _odd_cells(column: Column) -> str:
    """Words that keep a label from being a number, if that is what most of it is."""
    if column.scan.is_text or column.scan.numbers < column.observed / 2:
        return ""
    return ", ".join(repr(v) for v, _ in column.scan.odd.most_common(3))


def _order_binary(counts: dict[str, int], column: Column) -> Guess[tuple[str, ...]]:
    """The positive class second: by its meaning, else the larger number, else the rarer one."""
    common, rare = sorted(counts, key=lambda v: (-counts[v], v))
    if column.is_number:
        low, high = sorted(counts, key=column.number_in)
        return Guess((low, high), f"{high!r}, the larger number, is taken for the positive class")
    for positive, other in ((rare, common), (common, rare)):
        if reason := _meaning(positive.strip().lower(), other.strip().lower()):
            return Guess((other, positive), f"{positive!r} is the positive class{reason}")
    return Guess((common, rare), f"{rare!r}, the rarer one, is taken for the positive class")


def _meaning(positive: str, other: str) -> str:
    negated = _NEGATION.fullmatch(other)
    if negated and negated["of"] == positive:
        return f": the other one says no {positive}"
    if positive in _POSITIVE and other not in _POSITIVE:
        return " by its meaning"
    return " by the other one's meaning" if other in _NEGATIVE and positive not in _NEGATIVE else ""


def _order_classes(counts: dict[str, int], column: Column) -> Guess[tuple[str, ...]]:
    if column.is_number:
        ordered = sorted(counts, key=column.number_in)
        return Guess(tuple(ordered), "as they stand in the table, by number")
    return Guess(tuple(sorted(counts)), "as they stand in the table, by the alphabet")


def _class_warnings(column: str, counts: dict[str, int]) -> Iterable[str]:
    rare = {c: n for c, n in counts.items() if n < 10}
    if rare:
        shown = ", ".join(f"{c!r} ({n})" for c, n in sorted(rare.items(), key=lambda i: i[1])[:5])
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        yield f"{column}: classes with few rows may be missing in a split: {shown}{more}"
    yield from _imbalance(column, counts)


def _imbalance(column: str, counts: dict[str, int]) -> Iterable[str]:
    """Below a tenth of an even share, a model can well leave a class out."""
    rows = sum(counts.values())
    scarce = {c: n for c, n in counts.items() if n < rows / len(counts) / 10}
    if not scarce:
        return
    rarest = min(scarce, key=lambda c: scarce[c])
    name = "the rarer class" if len(counts) == 2 else f"class {rarest!r}"
    others = f", and few of {len(scarce) - 1} more" if len(scarce) > 1 else ""
    yield f"{column}: only {percent(scarce[rarest] / rows)} of the rows are of {name}{others}"


def _guess_max_missing(column: Column) -> Guess[float]:
    share = column.missing / max(column.rows, 1)
    if share == 0:
        return Guess(_DEFAULT_MAX_MISSING, "every row has a label; should some come without")
    allowed = max(_DEFAULT_MAX_MISSING, min(1.0, round(share * 1.2 + 0.01, 2)))
    return Guess(
        allowed,
        f"{counted(column.missing, 'row')} ({percent(share)}) without a label "
        "now; such rows are left out",
    )


def _name_some(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return f"its columns are {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")
