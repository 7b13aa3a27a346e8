"""Finds the cells that mark a missing value, such as NA or `?`.

A marker holds for the whole table. A marker that is read as text costs only one more category, so
a word is proposed only where more is at stake:
- among numbers: the marker would turn the column into text;
- among truth values: the marker would be read as `false`;
- among labels: the marker would become a class of its own;
- among dates: the column could not be read as times;
- among other texts: only markers that nobody takes for a value, such as `?`, and a dash that
  stands alone in cells of several columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.dates import is_written_as_date
from pipeline.onboarding.reading.scan import ColumnScan, Scan

TRUE_WORDS = frozenset(("true", "t", "yes", "y", "on"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "off"))

# Never a class of a label: these words say that there is no value.
_CERTAIN = frozenset(
    ("na", "n/a", "#n/a", "<na>", "n.a.", "nan", "null", "(null)", "\\n", "nat", "?", "inf",
     "-inf", "infinity", "-infinity", "#value!", "#div/0!", "#ref!", "#null!", "#num!")
)  # fmt: skip
# Among texts only as programs write them: Nan and Null are names, and Infinity is a film.
_WRITTEN_BY_PROGRAMS = (
    "NA", "N/A", "n/a", "#N/A", "<NA>", "n.a.", "NaN", "nan", "NULL", "null", "(null)", "\\N", "?",
)  # fmt: skip
_DASHES = frozenset(("-", "--", "---", "–", "—"))
LIKELY_MARKERS = _CERTAIN | _DASHES | frozenset(
    ("none", "nil", ".", "..", "*", "missing", "unknown", "undefined", "empty",
     "not available", "not applicable", "n.d.", "nd", "tbd",
     "k.a.", "k. a.", "keine angabe", "unbekannt", "inconnu", "desconocido", "s/d", "sconosciuto",
     "onbekend", "nieznane", "brak")
)  # fmt: skip
_MOST_UNUSUAL = 3
"""Different unusual words among numbers. More of them are more likely values than markers."""
_LONGEST_MARKER = 32
"""Characters. A longer text is a remark, not a marker."""
_MOST_UNUSUAL_CELLS = 0.02
"""Share of unusual words among numbers. A more frequent word may be a value of its own."""
_FEWEST_NUMBERS = 50
"""Numbers that an unusual word needs around it. In a shorter column it may be a category."""
_FEWEST_DASHES = 2
"""Cells of a column of text in which a dash stands alone, and columns with such cells."""
_CODE = "^[A-Z]{2,4}$"
"""Codes such as EU or APAC, beside which NA is North America."""
_GLANCE_CELLS = 1000
"""Cells that tell whether a column holds dates: matching all cells of all columns is slow."""
_MOSTLY_DATES = 0.5
"""Share of dates from which the rest of a column is searched for markers. It is low on purpose:
markers may fill nearly half of a column."""
_FEWEST_DATES = 20
"""Dates that an unusual word needs around it; fewer prove little about what the column holds."""
_WORD = re.compile(r"\D*[^\W\d_]\D*")


@dataclass(frozen=True)
class Markers:
    """The markers of missing values."""

    missing: Guess[tuple[str, ...]]
    unusual: dict[str, str]
    """Markers that are not in `LIKELY_MARKERS`, each with the column it was found in."""


NO_MARKERS = Markers(Guess((), "Parquet stores missing values as nulls"), {})
"""For Parquet, which needs no markers."""


def choose_markers(scan: Scan, label_column: str) -> Markers:
    """Returns the texts to be read as missing; the empty cell is always among them."""
    by_column = {n: _find_in_column(n, scan) for n in scan.columns if n != label_column}
    by_column[label_column], classes = _find_in_label(scan, label_column)
    for name, dashes in _find_dashes(scan, by_column, label_column).items():
        by_column[name] = by_column[name] | dashes
    found: dict[str, list[int]] = {}
    unusual: dict[str, str] = {}
    for name, words in by_column.items():
        kept = {w: n for w, n in words.items() if w and w not in classes}
        for word, cells in kept.items():
            found.setdefault(word, []).append(cells)
        unusual |= {w: name for w in kept if w.lower() not in LIKELY_MARKERS}
    found = dict(sorted(found.items(), key=lambda item: -sum(item[1])))
    return Markers(Guess(("", *found), _explain_markers(found)), unusual)


def _find_dashes(
    scan: Scan, by_column: Mapping[str, dict[str, int]], label_column: str
) -> dict[str, dict[str, int]]:
    """Returns the dashes in columns of text, with their counts, that stand in several columns."""
    counts = {
        name: _count_dashes(scan.sample.column(name).drop_null())
        for name, column in scan.columns.items()
        if name != label_column and not _is_number(column)
    }
    columns = Counter(w for words in [*counts.values(), *by_column.values()] for w in words)
    return {
        name: {w: n for w, n in words.items() if columns[w] >= _FEWEST_DASHES}
        for name, words in counts.items()
    }


def _count_dashes(cells: pa.ChunkedArray) -> dict[str, int]:
    """Returns how often each dash stands alone; none in a column of signs, such as + and -."""
    is_dash = pc.is_in(cells, pa.array(sorted(_DASHES)))
    others = cells.filter(pc.invert(is_dash))
    if len(others) in (0, len(cells)):
        return {}
    if not pc.all(pc.match_substring_regex(others, r"[\pL\pN]")).as_py():
        return {}
    return {w: n for w, n in _count(cells.filter(is_dash)).items() if n >= _FEWEST_DASHES}


def _find_in_label(scan: Scan, label_column: str) -> tuple[dict[str, int], set[str]]:
    """Returns the markers among the label's values, with their counts, and the classes."""
    column = scan.columns[label_column]
    if _is_number(column):
        return _find_among_numbers(column), set()
    marked = {v: n for v, n in scan.labels.items() if v.lower() in _CERTAIN}
    classes = set(scan.labels) - set(marked)
    # With a single other class, the word is the second class: NA beside EU is North America.
    return ({}, set(scan.labels)) if len(classes) == 1 else (marked, classes)


def _find_in_column(name: str, scan: Scan) -> dict[str, int]:
    """Returns the markers in a column that is not the label, with their counts."""
    column = scan.columns[name]
    found = {} if column.is_text else _find_among_numbers(column)
    if found or _is_number(column):
        return found
    cells = scan.sample.column(name).drop_null()
    found = _find_among_dates(cells) if _is_mostly_dates(cells) else {}
    kept = {w: n for w, n in found.items() if not _is_value_elsewhere(w, scan)}
    return kept or _find_among_texts(cells)


def _is_number(column: ColumnScan) -> bool:
    return not column.is_text and column.numbers > sum(column.non_numbers.values())


def _is_mostly_dates(cells: pa.ChunkedArray) -> bool:
    """Whether most cells are dates, judged by some from all over the table."""
    if not len(cells):
        return False
    some = np.linspace(0, len(cells) - 1, min(_GLANCE_CELLS, len(cells))).astype(np.int64)
    return bool(pc.mean(is_written_as_date(cells.take(pa.array(some)))).as_py() > _MOSTLY_DATES)


def _find_among_dates(cells: pa.ChunkedArray) -> dict[str, int]:
    """Returns the markers among dates: the likely ones, and at most one word of any language."""
    dates = is_written_as_date(cells)
    found = _count(pc.utf8_trim_whitespace(cells.filter(pc.invert(dates))))
    unusual = [w for w in found if w and w.lower() not in LIKELY_MARKERS]
    are_words = all(len(w) <= _LONGEST_MARKER and _WORD.fullmatch(w) for w in unusual)
    is_sure = len(unusual) <= 1 and are_words and pc.sum(dates).as_py() >= _FEWEST_DATES
    return found if is_sure else {}


def _is_value_elsewhere(word: str, scan: Scan) -> bool:
    """Whether an unusual marker is also a value in a column of texts."""
    texts = (scan.sample.column(n) for n, c in scan.columns.items() if not _is_number(c))
    return word.lower() not in LIKELY_MARKERS and any(
        pc.any(pc.equal(cells, word)).as_py() and not _is_mostly_dates(cells.drop_null())
        for cells in texts
    )


def _find_among_texts(cells: pa.ChunkedArray) -> dict[str, int]:
    """Returns the markers among other texts; a word that occurs once may be a name."""
    is_marker = pc.is_in(cells, pa.array(_WRITTEN_BY_PROGRAMS))
    others = cells.filter(pc.invert(is_marker))
    if len(others) in (0, len(cells)):
        return {}
    found = _count(cells.filter(is_marker))
    if pc.any(pc.match_substring_regex(others, _CODE)).as_py():
        found.pop("NA", None)
    return {word: n for word, n in found.items() if n > 1}


def _find_among_numbers(column: ColumnScan) -> dict[str, int]:
    """Returns the markers in a column that otherwise holds numbers or truth values."""
    likely = {v: n for v, n in column.non_numbers.items() if v.lower() in LIKELY_MARKERS}
    others = {v: n for v, n in column.non_numbers.items() if v not in likely}
    if not others:
        return likely if column.numbers > 1 else {}
    if not column.numbers:
        return likely if {v.lower() for v in others} <= TRUE_WORDS | FALSE_WORDS else {}
    are_few = len(others) <= _MOST_UNUSUAL and all(len(v) <= _LONGEST_MARKER for v in others)
    are_rare = are_few and sum(others.values()) <= _MOST_UNUSUAL_CELLS * column.numbers
    # Numbers within so narrow a range may be a handful of codes, and the word one code more.
    is_wide = column.high - column.low > _MOST_UNUSUAL
    is_sure = are_rare and column.numbers > _FEWEST_NUMBERS and is_wide
    if is_sure:
        return dict(column.non_numbers)
    # Beside words that may be values, only markers that are no word of any language.
    plain = {v: n for v, n in likely.items() if v.lower() in _CERTAIN | _DASHES}
    return plain if _is_number(column) else {}


def _explain_markers(found: Mapping[str, Sequence[int]]) -> str:
    """Says where each marker was found; `found` has its cells in each column."""
    if not found:
        return "empty cells only; no other marker was found"
    shown = [_describe_marker(word, counts) for word, counts in list(found.items())[:3]]
    return f"empty cells, and {', '.join(shown)}"


def _describe_marker(word: str, counts: Sequence[int]) -> str:
    shown = f"{word!r} in {counted(sum(counts), 'cell')}"
    return f"{shown} of {len(counts)} columns" if len(counts) > 1 else shown


def _count(cells: pa.ChunkedArray) -> dict[str, int]:
    counts = pc.value_counts(cells)
    return dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
