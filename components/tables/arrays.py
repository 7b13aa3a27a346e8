"""Helpers for Arrow arrays that several modules of this folder share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

LARGEST_EXACT_IN_FLOAT32 = 2**24
"""float32 holds every whole number up to this one, and tells all smaller ones apart."""


def text_buffers(text: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Returns offsets, int64 [n + 1], and content, uint8 [bytes], of a text array of length n.

    The offsets of a missing text may enclose any bytes.
    """
    _, offsets, content = text.buffers()
    wide = pa.types.is_large_string(text.type) or pa.types.is_large_binary(text.type)
    if offsets is None or len(text) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    ends: npt.NDArray[np.int64] = np.frombuffer(offsets, np.int64 if wide else np.int32)[
        text.offset : text.offset + len(text) + 1
    ].astype(np.int64)
    return ends, np.frombuffer(b"" if content is None else content, np.uint8)


def is_present(array: pa.Array) -> npt.NDArray[np.bool_]:
    """Returns, for each of the n cells, whether it has a value, as bool [n]."""
    present: npt.NDArray[np.bool_] = pc.is_valid(array).to_numpy(zero_copy_only=False)
    return present


def make_byte_table(codes: bytes) -> npt.NDArray[np.bool_]:
    """Returns bool [256]: whether a byte is one of `codes`."""
    return np.isin(np.arange(256), list(codes))


@dataclass(frozen=True)
class TextEnds:
    """Where the n texts of an array lie in its content, and their first and last bytes."""

    starts: npt.NDArray[np.int64]
    """Of each text, as all arrays here: [n]."""
    lengths: npt.NDArray[np.int64]
    """In bytes; 0 for a missing text."""
    first: npt.NDArray[np.uint8]
    """The letter `a` for a missing or empty text: neither a blank nor part of a number."""
    last: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, text: pa.Array) -> TextEnds:
        """Returns the ends of an array of utf8."""
        offsets, content = text_buffers(text)
        starts, lengths = offsets[:-1], np.diff(offsets)
        if text.null_count:
            lengths[~is_present(text)] = 0
        is_empty = lengths == 0
        if is_empty.all():
            letters = np.full(len(text), ord("a"), np.uint8)
            return cls(starts, lengths, letters, letters)
        first = content[np.minimum(starts, len(content) - 1)]
        last = content[np.maximum(starts + lengths - 1, 0)]
        first[is_empty] = last[is_empty] = ord("a")
        return cls(starts, lengths, first, last)


def replace_nan_with_null(array: pa.Array) -> pa.Array:
    """Returns the array with every NaN as null, since many programs write a missing number as NaN.

    An array that is not of floats is returned unchanged.
    """
    if not pa.types.is_floating(array.type):
        return array
    is_nan = pc.is_nan(array)
    if not pc.any(is_nan).as_py():
        return array
    return pc.if_else(is_nan, pa.scalar(None, array.type), array)


def find_first_infinite(array: pa.Array) -> int | None:
    """Returns the index of the first infinite number of an array of numbers, or None."""
    if not pa.types.is_floating(array.type):
        return None
    infinite = pc.is_inf(array)
    return int(pc.index(infinite, True).as_py()) if pc.any(infinite).as_py() else None
