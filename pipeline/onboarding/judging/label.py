"""Decides the task and the classes by the values of the label, counted in all rows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.config import Task
from pipeline.config.rules.column_names import first_unservable
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.text import counted, percent
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.missing_markers import FALSE_WORDS, TRUE_WORDS, Markers
from pipeline.onboarding.reading.scan import MOST_LABELS, Scan

_MOST_CLASSES = 200
"""Different texts up to which a label has classes: more are free text or names."""
_FEWEST_CLASSES = 3
"""Different texts that are classes even in the smallest table."""
_ROWS_A_CLASS = 5
"""Rows per class: with fewer on average, the three splits could not all have every class."""
_MOST_SMALL_CLASSES = 10
"""Different whole numbers up to which a label may have classes with gaps, such as 1, 2 and 5."""
_MOST_NUMBERED_CLASSES = 20
"""Different whole numbers up to which a label may have classes: more are counts."""
_ROWS_A_NUMBERED_CLASS = 10
"""Rows per different whole number. Classes recur; with fewer rows, the numbers may be counts."""
_DEFAULT_MAX_MISSING = 0.05
"""The default of `label.max_missing`."""
_MISSING_FACTOR = 1.2
_MISSING_MARGIN = 0.01
"""A fifth and one percentage point above the share seen now: new data may have slightly more
missing labels without stopping a run."""
_SIMILAR = 0.5
"""difflib's ratio from which a name is suggested for a mistyped label: half of the letters."""

_POSITIVE = TRUE_WORDS | frozenset(("1", "1.0", "positive", "pos", "+", "+1", "present", "success"))
_NEGATIVE = FALSE_WORDS | frozenset(
    ("0", "0.0", "-1", "-1.0", "negative", "neg", "-", "absent", "failure", "none", "normal")
)
_NEGATION = re.compile(r"(no|not|non|un)[\s_-]*(?P<of>.+)")


@dataclass(frozen=True)
class Label:
    """The proposal for the section `label`, and the counts behind it."""

    column: str
    task: Guess[Task]
    classes: Guess[tuple[str, ...]]
    """Empty for regression."""
    counts: tuple[int, ...]
    """The rows of each class; for regression, the rows with a label."""
    max_missing: Guess[float]

    @property
    def outputs(self) -> int:
        """The numbers that a model computes: one for each of three or more classes, or one."""
        classes = len(self.classes.value)
        return classes if classes > 2 else 1


def require_label(label_column: str, columns: Iterable[str], has_header: bool = True) -> None:
    """Checks that the label column exists and has a name that a served model can have.

    Raises:
      ConfigError: the column does not exist, or its name cannot be served; names a near match.
    """
    names = list(columns)
    if label_column in names:
        if unservable := first_unservable([label_column]):
            raise ConfigError(f"--label {label_column}: {unservable[1]}", "rename the column")
        return
    if not has_header:
        raise ConfigError(
            f"--label {label_column}: the table seems to have no header: its first row looks like "
            "a data row",
            "add a row with the columns' names, or name the label by its position, as in "
            f"--label {names[-1]}",
        )
    raise ConfigError(
        f"--label {label_column}: the table has no column '{label_column}'",
        suggest_column(label_column, names),
    )


def suggest_column(name: str, columns: Sequence[str]) -> str:
    """Returns a hint for the name of a column that does not exist: a near match, or all names."""
    near = difflib.get_close_matches(name, columns, n=1, cutoff=_SIMILAR)
    folded = [n for n in columns if n.strip().lower() == name.strip().lower()]
    if folded or near:
        return f"did you mean '{(folded or near)[0]}'?"
    more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
    return f"its columns are {', '.join(columns[:8])}{more}"


def guess_label(scan: Scan, column: Column, markers: Markers) -> Label:
    """Decides task, classes and `max_missing`.

    Raises:
      DataError: the label has no value, the same value in all rows, or numbers beyond float32.
      ConfigError: the label is text with too many different values for classes.
    """
    counts = {v: n for v, n in scan.labels.items() if v not in markers.missing.value}
    if len(counts) < 2:
        found = f"always {next(iter(counts))!r}" if counts else "missing in every row"
        raise DataError(f"label '{column.name}' is {found}", "there is nothing to learn")
    task = _guess_task(counts, column, scan.labels_complete)
    missing = _guess_max_missing(column)
    if task.value == "regression" and column.overflow:
        raise DataError(
            f"label '{column.name}' {column.overflow}",
            "divide the label, or store its logarithm",
        )
    if task.value == "regression":
        return Label(column.name, task, Guess((), ""), (column.present,), missing)
    order = _order_binary if task.value == "binary" else _order_classes
    classes = order(counts, column)
    numbers = tuple(counts[c] for c in classes.value)
    return Label(column.name, task, classes, numbers, missing)


def _guess_task(counts: dict[str, int], column: Column, is_complete: bool) -> Guess[Task]:
    if len(counts) == 2:
        return Guess("binary", "the label has two values")
    shown = f"{len(counts):,}" if is_complete else f"more than {MOST_LABELS:,}"
    if not column.is_number:
        if is_complete and len(counts) <= _class_limit(column.present):
            return Guess("multiclass", f"the label is text with {shown} different values")
        raise _make_too_many_texts_error(column, shown)
    if not column.scan.is_integral or not is_complete:
        return Guess("regression", f"the label is a number with {shown} different values")
    if _is_numbered_classes(counts, column):
        return Guess("multiclass", f"the label is a whole number with {shown} different values")
    return Guess("regression", f"the label is a whole number with {shown} different values")


def _make_too_many_texts_error(column: Column, shown: str) -> ConfigError:
    words = _list_non_numbers(column)
    message = f"label '{column.name}': {shown} different texts are too many for classes"
    if not words:
        return ConfigError(message, "take another label, or group its values")
    return ConfigError(
        f"{message}, and {words} keep it from being a number",
        f"empty the cells with {words}, or take another label",
    )


def _class_limit(rows: int) -> int:
    return max(_FEWEST_CLASSES, min(_MOST_CLASSES, rows // _ROWS_A_CLASS))


def _is_numbered_classes(counts: dict[str, int], column: Column) -> bool:
    """Whether whole numbers are classes and not counts.

    Classes are few and recur. More than ten classes have no gap, and none of them is rare: counts
    have a tail of rare high values.
    """
    distinct = len({column.parse(v) for v in counts})
    if distinct < len(counts) or column.present < _ROWS_A_NUMBERED_CLASS * distinct:
        return False
    span = column.scan.high - column.scan.low + 1
    is_dense = span <= distinct and min(counts.values()) >= _ROWS_A_CLASS
    return distinct <= _MOST_SMALL_CLASSES or (distinct <= _MOST_NUMBERED_CLASSES and is_dense)


def _list_non_numbers(column: Column) -> str:
    """Lists the words in a label that mostly holds numbers; empty for any other label."""
    if column.scan.is_text or column.scan.numbers < column.present / 2:
        return ""
    return ", ".join(repr(v) for v, _ in column.scan.non_numbers.most_common(3))


def _order_binary(counts: dict[str, int], column: Column) -> Guess[tuple[str, ...]]:
    """Puts the positive class second: by its meaning, else the larger number or the rarer class."""
    common, rare = sorted(counts, key=lambda v: (-counts[v], v))
    if column.is_number:
        low, high = sorted(counts, key=column.parse)
        return Guess((low, high), f"{high!r} is the positive class: the larger number")
    for positive, other in ((rare, common), (common, rare)):
        if reason := _explain_positive_class(positive.strip().lower(), other.strip().lower()):
            why = f"{positive!r} is the positive class{reason}"
            return Guess((other, positive), why)
    return Guess((common, rare), f"{rare!r} is the positive class: the rarer one")


def _explain_positive_class(positive: str, other: str) -> str:
    """Returns how the words tell the positive class, or an empty string if they do not."""
    negated = _NEGATION.fullmatch(other)
    if negated and negated["of"] == positive:
        return ": the other class negates it"
    if positive in _POSITIVE and other not in _POSITIVE:
        return " by its meaning"
    if other in _NEGATIVE and positive not in _NEGATIVE:
        return ": the other class means no"
    return ""


def _order_classes(counts: dict[str, int], column: Column) -> Guess[tuple[str, ...]]:
    if column.is_number:
        return Guess(tuple(sorted(counts, key=column.parse)), "as in the table, in numeric order")
    return Guess(tuple(sorted(counts)), "as in the table, in alphabetical order")


def _guess_max_missing(column: Column) -> Guess[float]:
    share = column.missing / max(column.rows, 1)
    if share == 0:
        return Guess(_DEFAULT_MAX_MISSING, "every row has a label now; this is the default")
    allowed = min(1.0, round(share * _MISSING_FACTOR + _MISSING_MARGIN, 2))
    return Guess(
        max(_DEFAULT_MAX_MISSING, allowed),
        f"{counted(column.missing, 'row')} ({percent(share)}) without a label now; `run` leaves "
        "such rows out",
    )
