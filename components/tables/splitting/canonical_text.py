"""Writes text that means the same in the same way, for the hash of a row.

Each program has its own way: where Parquet has a boolean, a CSV file has `True`, `TRUE` or `true`;
where Parquet has a point in time, a CSV file has `2026-07-01 14:40:00` or
`2026-07-01T14:40:00.000Z`. Blanks around a cell belong to no value. Different values may become
equal here: their rows only fall into the same split more often.

Most cells are canonical. So a look at their first and last bytes decides which ones are rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import TextEnds, make_byte_table, text_buffers

_Mask = npt.NDArray[np.bool_]


_ASCII_BLANKS = bytes(range(ord(" ") + 1))
_BEGINS_BLANK = make_byte_table(_ASCII_BLANKS + b"\xc2\xe1\xe2\xe3")
_ENDS_BLANK = make_byte_table(_ASCII_BLANKS + bytes(range(0x80, 0x8B)) + b"\x9f\xa0\xaf")
"""Of the blanks beyond ASCII, such as the no-break space, the first and the last byte in UTF-8."""
_BEGINS_BOOLEAN = make_byte_table(b"TF")
_BOOLEANS = (b"true", b"false")
_BEGINS_TIME = make_byte_table(b"0123456789")
_DATE_LENGTH = len("2026-07-01")
_SHORTEST_TIME = len("2026-07-01T14:40")
_LOCAL_LENGTH = len("2026-07-01T14:40:00")
_OFFSET_LENGTH = len("2026-07-01T14:40:00+02:00")
_TIME = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,][0-9]*)?)?"
    r" ?(?:(Z)|([+-][0-9]{2}):?([0-9]{2}))?$"
)
_PARTS = r"\1T\2:\3 \4\5:\6"
_PARTS_TO_CANONICAL = ((": ", ":00 "), (" Z:", "+00:00"), (" :", ""), (" ", ""))
"""No seconds; UTC; no offset; an offset."""
_MIDNIGHT = b"00:00:00"


def make_canonical(text: pa.Array) -> pa.Array:
    """Returns utf8 of the same length: without outer blanks, booleans and times in one way each.

    A time becomes `2026-07-01T14:40:00`, with `+02:00` if it has an offset; fractions of a second
    are left out. Midnight without an offset becomes a date.
    """
    ends = TextEnds.of(text)
    mask = _BEGINS_BLANK[ends.first] | _ENDS_BLANK[ends.last]
    if mask.any():
        text = _replace(text, mask, pc.utf8_trim_whitespace)
        ends = TextEnds.of(text)
    if (mask := _BEGINS_BOOLEAN[ends.first]).any():
        text = _lower_booleans(text, ends, mask)
    mask = _BEGINS_TIME[ends.first]
    if mask.any():
        mask &= ends.lengths >= _SHORTEST_TIME
        mask[mask] = _have(text, ends.starts[mask], {4: b"-", 7: b"-", 10: b"T ", 13: b":"})
    return _write_times(text, ends, mask) if mask.any() else text


def _replace(text: pa.Array, mask: _Mask, rewrite: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Returns the text with the cells of the mask rewritten."""
    selected = pa.array(mask)
    return pc.replace_with_mask(text, selected, rewrite(text.filter(selected)))


def _have(text: pa.Array, starts: npt.NDArray[np.int64], expected: Mapping[int, bytes]) -> _Mask:
    """Returns whether the texts at `starts` have one of the expected bytes at each place."""
    _, content = text_buffers(text)
    found = np.ones(len(starts), bool)
    for place, codes in expected.items():
        letters = content[starts + place]
        found &= np.logical_or.reduce([letters == code for code in codes])
    return found


def _lower_booleans(text: pa.Array, ends: TextEnds, mask: _Mask) -> pa.Array:
    lower_case = ord("a") - ord("A")
    places = []
    for word in _BOOLEANS:
        starts = ends.starts[mask & (ends.lengths == len(word))]
        letters = {n: bytes([code, code - lower_case]) for n, code in enumerate(word)}
        places += [starts[_have(text, starts, letters)] + n for n in letters]
    found = np.concatenate(places)
    _, content = text_buffers(text)
    return _set_bytes(text, found, content[found] | lower_case) if len(found) else text


def _write_times(text: pa.Array, ends: TextEnds, mask: _Mask) -> pa.Array:
    # Regular expressions take a microsecond a cell: most times only need a letter.
    is_regular = _are_regular(text, ends, mask)
    if (others := mask & ~is_regular).any():
        text = _replace(text, others, _write_other_times)
        ends = TextEnds.of(text)
        is_regular = _are_regular(text, ends, mask)
    if not is_regular.any():
        return text
    text = _set_bytes(text, ends.starts[is_regular] + _DATE_LENGTH, ord("T"))
    is_midnight = is_regular & (ends.lengths == _LOCAL_LENGTH)
    zeros = {_DATE_LENGTH + 1 + n: bytes([code]) for n, code in enumerate(_MIDNIGHT)}
    is_midnight[is_midnight] = _have(text, ends.starts[is_midnight], zeros)
    if not is_midnight.any():
        return text
    return _replace(text, is_midnight, lambda c: pc.utf8_slice_codeunits(c, 0, _DATE_LENGTH))


def _are_regular(text: pa.Array, ends: TextEnds, mask: _Mask) -> _Mask:
    """Returns which of the times are canonical but for the letter between date and time."""
    is_local = mask & (ends.lengths == _LOCAL_LENGTH)
    is_local[is_local] = _have(text, ends.starts[is_local], {16: b":"})
    has_offset = mask & (ends.lengths == _OFFSET_LENGTH)
    has_offset[has_offset] = _have(text, ends.starts[has_offset], {16: b":", 19: b"+-", 22: b":"})
    regular: _Mask = is_local | has_offset
    return regular


def _write_other_times(cells: pa.Array) -> pa.Array:
    is_time = pc.match_substring_regex(cells, _TIME)
    written = pc.replace_substring_regex(cells, _TIME, _PARTS)
    for part, canonical in _PARTS_TO_CANONICAL:
        written = pc.replace_substring(written, part, canonical)
    return pc.if_else(is_time, written, cells)


def _set_bytes(
    text: pa.Array, places: npt.NDArray[np.int64], values: npt.NDArray[np.uint8] | int
) -> pa.Array:
    """Returns the text with other bytes at places of its content."""
    validity, offsets, content = text.buffers()
    letters = np.frombuffer(content, np.uint8).copy()
    letters[places] = values
    return pa.StringArray.from_buffers(
        len(text), offsets, pa.py_buffer(letters), validity, text.null_count, text.offset
    )
