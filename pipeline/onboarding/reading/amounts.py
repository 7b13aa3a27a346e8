"""Recognises cells that look like amounts, readable or not, such as `1.234,50 EUR` or `(12.50)`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.numerals import BLANKS
from pipeline.onboarding.reading.units import CURRENCY_SIGNS

_CURRENCY = rf"[A-Z]{{0,3}}[{CURRENCY_SIGNS}]"
_AMOUNT = (
    rf"^\s*\(?(?P<before>{_CURRENCY}\s*|[A-Z]{{3}}\s+)?[+-]?"
    rf"\d{{1,3}}(?:(?P<group>[,.'{BLANKS}])?\d{{3}})*(?P<fraction>[.,]\d+)?"
    rf"(?P<behind>[{BLANKS}]*[^\s\d.,:;_()-][^\d.,:;_-]{{0,11}})?\)?$"
)
_MOST_CELLS_TRIED = 20_000
"""Bounds the time that regular expressions take."""
_MOST = 0.5
"""Share of cells that must be amounts."""
_FEWEST_MARKED = 0.05
"""Share of amounts with a unit, a group or a fraction: the values of other columns may be codes."""
_MOST_UNITS = 3
_NEARLY_ALL = 0.9
"""Share of units that must be among the three most frequent ones: the words behind the numbers of
addresses, as in `12 High Street`, differ more."""


def are_amounts(cells: pa.Array) -> bool:
    """Whether most cells, text [n], look like amounts, whatever their units and number formats."""
    tried = cells.drop_null()[:_MOST_CELLS_TRIED]
    found = pc.extract_regex(tried, _AMOUNT).drop_null()
    if not len(found) or len(found) < _MOST * len(tried):
        return False
    parts = [found.field(name) for name in ("before", "group", "fraction", "behind")]
    marked = pc.sum(pc.not_equal(pc.binary_join_element_wise(*parts, ""), "")).as_py()
    return bool(marked >= _FEWEST_MARKED * len(found) and _has_few_units(found))


def _has_few_units(found: pa.StructArray) -> bool:
    units = pc.utf8_trim_whitespace(
        pc.binary_join_element_wise(found.field("before"), found.field("behind"), "")
    )
    counts = pc.value_counts(units.filter(pc.not_equal(units, ""))).field(1).to_pylist()
    return bool(sum(sorted(counts)[-_MOST_UNITS:]) >= _NEARLY_ALL * sum(counts))
