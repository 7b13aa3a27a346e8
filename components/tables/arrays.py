"""Helpers for Arrow arrays that several modules of this folder share."""

from __future__ import annotations

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
