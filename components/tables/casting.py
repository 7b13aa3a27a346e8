"""Casts columns to one of the three column types, and finds the narrowest type of a column.

Every rule looks at one cell at a time. So the type of a column depends on its values alone, not on
the blocks and files that hold them, nor on their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import (
    find_first_infinite,
    is_present,
    make_byte_table,
    replace_nan_with_null,
    text_buffers,
)
from components.tables.numerals import normalize_numbers
from components.tables.parquet.stored_types import cast_to_plain, cast_to_text
from pipeline.config import ColumnType, CsvConfig
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float32(),
    "string": pa.string(),
}
COLUMN_TYPES: tuple[ColumnType, ...] = ("int", "float", "string")
"""From the narrowest to the widest: each type can hold the values of all types before it."""

# The greatest int64 has 19 digits: a shorter text of digits always fits.
_SHORTEST_BEYOND_INT64 = 19
_MAKES_A_CODE = make_byte_table(b"0123456789xX")
"""bool [256]: whether a text that begins with 0 and this byte is a code and not a number."""
# Cells that are tried before the whole column. A longer probe costs more where it succeeds, a
# shorter one misses more columns that do not fit.
_PROBE = 100


class BadCellError(Exception):
    """A cell that cannot be read as the type of its column."""

    def __init__(self, row: int, value: object) -> None:
        super().__init__(row, value)
        self.row = row
        """Index of the cell within the array."""
        self.value = value


def cast_to_configured(
    array: pa.Array, wanted: ColumnType, csv: CsvConfig | None, *, takes_codes: bool = True
) -> pa.Array:
    """Casts a column to the type that the configuration sets, leniently.

    "8.0" and "007" are integers if `wanted` is int. A float beyond float32 becomes infinite. A NaN
    becomes null, since many programs write a missing number as NaN.

    Args:
      csv: how numbers and missing values are written; None for an array as stored in Parquet.
      takes_codes: whether "007" is a number; otherwise it is a bad cell. "8.0" is one either way.

    Returns:
      int64, float32 or utf8 of the same length.

    Raises:
      BadCellError: for the first cell that cannot be read as `wanted`.
    """
    return _cast(array, wanted, csv, partial(_parse_leniently, takes_codes=takes_codes))


def cast_to_inferred(array: pa.Array, wanted: ColumnType, csv: CsvConfig | None) -> pa.Array:
    """Casts a column to an inferred type, by the strict rules of `find_narrowest_type`.

    Unlike in `cast_to_configured`, "8.0" is always a float and "007" always text. So is a number
    beyond float32, such as 1e49: no cell becomes an infinity that is not in the table.

    Raises:
      BadCellError: for the first cell that needs a wider type than `wanted`.
    """
    return _cast(array, wanted, csv, _parse_strictly)


def find_narrowest_type(
    array: pa.Array, csv: CsvConfig | None, at_least: ColumnType = "int"
) -> ColumnType:
    """Returns the first type from `at_least` on that holds every cell; a missing cell fits any.

    Codes with leading zeros stay text. So do identifiers beyond int64, of which different ones
    would become the same float, and numbers beyond float32, which would become infinite.
    """
    # Arrow writes a message for every cell that does not fit, so a few cells are tried first.
    for candidate in COLUMN_TYPES[COLUMN_TYPES.index(at_least) : -1]:
        if all(
            _parse_strictly(cells, candidate, csv) is not None for cells in (array[:_PROBE], array)
        ):
            return candidate
    return "string"


def cast_whole_numbers(array: pa.Array, csv: CsvConfig | None) -> pa.Array:
    """Casts whole numbers to int64, also those with a decimal point, such as `16777217.0`.

    Raises:
      BadCellError: for the first cell that is not a whole number of 64 bits.
    """
    return _cast(array, "int", csv, lambda cells, _, csv: _parse_whole(cells, csv))


def find_largest_whole(array: pa.Array, csv: CsvConfig | None) -> int | None:
    """Returns the largest magnitude of a column of whole numbers; None if any cell is not whole.

    A column of float32 gives None, too: its numbers are rounded already.
    """
    for cells in (array[:_PROBE], array):
        numbers = _parse_whole(cells, csv)
        if numbers is None:
            return None
    ends = pc.min_max(numbers).as_py().values()
    return max((abs(end) for end in ends if end is not None), default=0)


_Parser = Callable[[pa.Array, ColumnType, CsvConfig | None], pa.Array | None]


def _cast(array: pa.Array, wanted: ColumnType, csv: CsvConfig | None, parse: _Parser) -> pa.Array:
    if wanted == "string":
        return _replace_mark_with_null(cast_to_text(array), MISSING_STRING)
    numbers = parse(array, wanted, csv)
    if numbers is None:
        row = _find_first_bad(array, lambda cells: parse(cells, wanted, csv) is not None)
        raise BadCellError(row, array[row].as_py())
    return _replace_mark_with_null(numbers, MISSING_INT) if wanted == "int" else numbers


def _replace_mark_with_null(array: pa.Array, mark: str | int) -> pa.Array:
    """Returns the array with null where a cell equals the value that later marks a missing one."""
    is_mark = pc.equal(array, mark)
    if not pc.any(is_mark).as_py():
        return array
    return pc.if_else(is_mark, pa.scalar(None, array.type), array)


def _parse_strictly(array: pa.Array, wanted: ColumnType, csv: CsvConfig | None) -> pa.Array | None:
    if csv is None:
        plain = cast_to_plain(array)
        is_wider = pa.types.is_floating(plain.type) and wanted == "int"
        if is_wider or pa.types.is_string(plain.type):
            return None
        numbers = _convert(plain, wanted)
        return None if _overflows(numbers, lambda: pc.is_finite(plain)) else numbers
    for cells in _parse_attempts(array, csv):
        numbers = _convert(cells, wanted)
        if numbers is not None:
            overflows = _overflows(numbers, partial(pc.match_substring_regex, cells, "[0-9]"))
            return None if overflows or _has_codes(cells) else numbers
    return None


def _overflows(numbers: pa.Array | None, are_finite: Callable[[], pa.Array]) -> bool:
    """Whether a cell that is finite in the table became infinite as float32."""
    if numbers is None or find_first_infinite(numbers) is None:
        return False
    return bool(pc.any(pc.and_(pc.is_inf(numbers), are_finite())).as_py())


def _parse_leniently(
    array: pa.Array, wanted: ColumnType, csv: CsvConfig | None, takes_codes: bool
) -> pa.Array | None:
    if pa.types.is_temporal(array.type):
        return None
    if pa.types.is_decimal(array.type):
        return _convert(array if wanted == "int" else pc.cast(array, pa.float64()), wanted)
    if pa.types.is_primitive(array.type) or pa.types.is_null(array.type):
        return _convert(array, wanted)
    for cells in _parse_attempts(cast_to_text(array), csv or CsvConfig(missing=())):
        numbers = _convert(cells, wanted)
        if numbers is None and wanted == "int":
            numbers = _convert(_drop_zero_fraction(cells), wanted)
        if numbers is not None:
            return numbers if takes_codes or not _has_leading_zeros(cells) else None
    return None


def _parse_whole(array: pa.Array, csv: CsvConfig | None) -> pa.Array | None:
    if csv is None:
        kind = array.type
        is_exact = not pa.types.is_float32(kind) and not pa.types.is_temporal(kind)
        is_number = pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
        return _convert(array, "int") if is_exact and is_number else None
    for cells in _parse_attempts(array, csv):
        whole = _drop_zero_fraction(cells)
        numbers = _convert(whole, "int")
        if numbers is not None:
            return None if _has_codes(whole) else numbers
    return None


def _drop_zero_fraction(text: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(text, r"\.0*$", "")


def _parse_attempts(text: pa.Array, csv: CsvConfig) -> Iterator[pa.Array]:
    """Yields the cells with normalised numbers: first as they are, then without outer blanks."""
    yield normalize_numbers(text, csv)
    trimmed = pc.utf8_trim_whitespace(text)
    is_missing = pc.is_in(trimmed, value_set=pa.array(csv.missing, pa.string()))
    yield normalize_numbers(pc.if_else(is_missing, pa.scalar(None, pa.string()), trimmed), csv)


def _convert(cells: pa.Array, wanted: ColumnType) -> pa.Array | None:
    try:
        # A float may lose digits, an integer must not lose a fraction.
        numbers = pc.cast(replace_nan_with_null(cells), ARROW_TYPES[wanted], safe=wanted == "int")
    except pa.ArrowInvalid:
        return None
    return replace_nan_with_null(numbers)


def _has_codes(text: pa.Array) -> bool:
    """Whether any cell has digits but is no number: 007, 0x1F, or 20 digits."""
    if _has_leading_zeros(text):
        return True
    offsets, _ = text_buffers(text)
    long = text.filter(pa.array(np.diff(offsets) >= _SHORTEST_BEYOND_INT64))
    digits = long.filter(pc.match_substring_regex(long, r"^-?[0-9]+$"))
    return len(digits) > 0 and _convert(digits, "int") is None


def _has_leading_zeros(text: pa.Array) -> bool:
    """Whether any cell is like 007 or 0x1F."""
    offsets, content = text_buffers(text)
    starts, lengths = offsets[:-1], np.diff(offsets)
    starts = starts[(lengths > 1) & is_present(text)]
    after_zero = content[starts[content[starts] == ord("0")] + 1]
    return bool(np.any(_MAKES_A_CODE[after_zero]))


def _find_first_bad(array: pa.Array, is_good: Callable[[pa.Array], bool]) -> int:
    """Returns the index of the first cell that makes `is_good` false, found by bisection."""
    good, bad = 0, len(array)
    while bad - good > 1:
        middle = (good + bad) // 2
        if is_good(array.slice(good, middle - good)):
            good = middle
        else:
            bad = middle
    return good
