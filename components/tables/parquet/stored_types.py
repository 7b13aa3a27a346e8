"""Casts the many column types of Parquet to a few: integers, floats and text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import replace_nan_with_null
from components.tables.timestamps import offsets_at
from pipeline.core.date_formats import EpochFormat, TextFormat, TimestampFormat

_ISO = "%Y-%m-%dT%H:%M:%S"
_ISO_DATE = r"^(\d{4})-(\d{2})-(\d{2})T?"
_REORDERED: dict[TextFormat, str] = {"month_first": r"\2/\3/\1 ", "day_first": r"\3.\2.\1 "}
_EPOCH_ARROW_UNITS: dict[EpochFormat, tuple[str, str]] = {
    "epoch_seconds": ("second", "s"),
    "epoch_milliseconds": ("millisecond", "ms"),
}
_EXACT_DIGITS = 15
"""Decimal digits that float64 always holds."""


def cast_to_plain(array: pa.Array) -> pa.Array:
    """Returns the values as int64, float32, float64 or utf8, depending on their stored type.

    Booleans become "true" and "false", decimals with digits after the point become floats, and NaN
    becomes null. Points in time become ISO text in whole seconds, see `cast_to_text`. Integers
    above int64 become text: as floats, neighbouring identifiers would become equal.
    """
    kind = array.type
    if pa.types.is_null(kind):
        return pa.nulls(len(array), pa.int64())
    if pa.types.is_integer(kind) or _is_whole_decimal(kind):
        whole = _cast_to_int64(array)
        return cast_to_text(array) if whole is None else whole
    if pa.types.is_decimal(kind):
        return pc.cast(array, pa.float64())
    return replace_nan_with_null(array) if pa.types.is_floating(kind) else cast_to_text(array)


def cast_to_text(array: pa.Array) -> pa.Array:
    """Returns the values as utf8: the shortest text of a number (8.0 is "8"), dates in ISO form.

    A time of a column with a time zone becomes the clock time of that zone and its offset, as in
    2026-07-01T14:40:00+02:00.
    """
    if pa.types.is_timestamp(array.type):
        return _write_times(array)
    if pa.types.is_decimal(array.type):
        return _write_decimals(array)
    if pa.types.is_time(array.type):
        return pc.cast(pc.cast(array, pa.time32("s"), safe=False), pa.string())
    return pc.cast(replace_nan_with_null(array), pa.string())


def _cast_to_int64(array: pa.Array) -> pa.Array | None:
    """Returns integers or decimals as int64; None if int64 cannot hold one of them exactly."""
    try:
        return pc.cast(array, pa.int64())
    except pa.ArrowInvalid:
        return None


def write_times(array: pa.Array, time_format: TimestampFormat) -> pa.Array:
    """Returns dates and times as a timestamp feature of the format reads them.

    The training table has dates and times as `cast_to_text` writes them. A model that was trained
    on another table, with dates as text, may read another format.

    Returns:
      utf8; for a format that counts from 1970, int64.
    """
    if time_format == "epoch_seconds" or time_format == "epoch_milliseconds":
        unit, arrow_unit = _EPOCH_ARROW_UNITS[time_format]
        stored = array.type.unit if pa.types.is_timestamp(array.type) else arrow_unit
        times = pc.floor_temporal(pc.cast(array, pa.timestamp(stored)), unit=unit)
        return pc.cast(pc.cast(times, pa.timestamp(arrow_unit)), pa.int64())
    text = cast_to_text(array)
    if time_format == "iso":
        return text
    ordered = pc.replace_substring_regex(text, _ISO_DATE, _REORDERED[time_format])
    return pc.utf8_rtrim_whitespace(ordered)


def _write_decimals(array: pa.Array) -> pa.Array:
    """Returns the shortest text of each number: 2.50 is "2.5"."""
    if array.type.precision <= _EXACT_DIGITS:
        return pc.cast(pc.cast(array, pa.float64()), pa.string())
    # float64 would merge different identifiers. Arrow 10 writes no text of decimals.
    encoded = array.dictionary_encode()
    texts = [_drop_zeros(f"{number:f}") for number in encoded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(
        encoded.indices, pa.array(texts, pa.string())
    ).dictionary_decode()


def _drop_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _write_times(array: pa.Array) -> pa.Array:
    utc = pc.cast(array, pa.timestamp(array.type.unit))
    seconds = pc.cast(pc.floor_temporal(utc, unit="second"), pa.timestamp("s"))
    if array.type.tz is None:
        return pc.strftime(seconds, format=_ISO)
    numbers = pc.cast(seconds, pa.int64())
    offsets = offsets_at(numbers.fill_null(0).to_numpy(zero_copy_only=False), array.type.tz)
    clock = pc.cast(pc.add(numbers, pa.array(offsets)), pa.timestamp("s"))
    distinct, positions = np.unique(offsets, return_inverse=True)
    texts = pa.array(list(map(_write_offset, distinct.tolist())), pa.string())
    return pc.binary_join_element_wise(
        pc.strftime(clock, format=_ISO), texts.take(pa.array(positions)), ""
    )


def _write_offset(seconds: int) -> str:
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}"


def _is_whole_decimal(kind: pa.DataType) -> bool:
    is_whole: bool = pa.types.is_decimal(kind) and kind.scale <= 0
    return is_whole
