"""The words of texts and the parts of times, as inputs of the trees of the quick fit.

A whole text or a moment rarely recurs, so that as a category it tells nothing about new rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.timestamps import parse_times
from pipeline.core.date_formats import EPOCH_UNITS, TimestampFormat
from pipeline.onboarding.judging.tokens import BETWEEN_TOKENS
from pipeline.onboarding.reading.arrays import Floats, Integers
from pipeline.onboarding.reading.columns import Column

_LENGTHS = (2, 3, 4)
"""Characters of the n-grams."""
_FEWEST_WITH_WORDS = 0.5
"""Share of the rows with a frequent word: codes and names have less."""
_DAYS_BEFORE = 3
"""1970 began on a Thursday, the fourth day of a week."""


def encode_text(column: Column, rows: Integers, most: int) -> Floats:
    """Returns `encode_words`, or `encode_spelling` where few texts share a word."""
    words = encode_words(column, rows, most)
    if words.any(axis=1).mean() >= _FEWEST_WITH_WORDS:
        return words
    return encode_spelling(column, rows, most)


def encode_words(column: Column, rows: Integers, most: int) -> Floats:
    """Returns float64 [rows, words]: 1 where a text has the word, for the most frequent words.

    Args:
      column: a column of texts.
      rows: int64 [rows], positions in the sample.
      most: the most words.
    """
    return _mark(_split(column, rows), most)


def encode_spelling(column: Column, rows: Integers, most: int) -> Floats:
    """Returns float64 [rows, n-grams]: 1 where a text has the n-gram, for the most frequent ones.

    The n-grams are those of two to four characters of a word, with a mark at both ends of the word.

    Args:
      column: a column of codes or names.
      rows: int64 [rows], positions in the sample.
      most: the most n-grams.
    """
    marked = ([f" {word} " for word in words if word] for words in _split(column, rows).to_pylist())
    ngrams = [
        [word[i : i + n] for word in words for n in _LENGTHS for i in range(len(word) - n + 1)]
        for words in marked
    ]
    return _mark(pa.array(ngrams, pa.list_(pa.string())), most)


def _split(column: Column, rows: Integers) -> pa.ListArray:
    """Returns the words of each text in lower case, list of string [rows]; some are empty."""
    texts = pc.utf8_lower(column.cells.take(pa.array(rows)).fill_null(""))
    return pc.split_pattern_regex(pc.utf8_trim(texts, " "), BETWEEN_TOKENS)


def _mark(pieces: pa.ListArray, most: int) -> Floats:
    """Returns float64 [rows, pieces]: 1 where a row has the piece, for the most frequent ones."""
    of_text = pc.list_parent_indices(pieces).to_numpy().astype(np.int64)
    found = pc.list_flatten(pieces).dictionary_encode()
    vocabulary, codes = found.dictionary, found.indices.to_numpy().astype(np.int64)
    pairs = np.unique(of_text * len(vocabulary) + codes)
    of_text, codes = pairs // len(vocabulary), pairs % len(vocabulary)
    counts = np.bincount(codes, minlength=len(vocabulary))
    counts[pc.equal(vocabulary, "").to_numpy(zero_copy_only=False)] = 0
    chosen = np.argsort(-counts, kind="stable")[: min(most, int((counts > 0).sum()))]
    positions = np.full(len(vocabulary), -1)
    positions[chosen] = np.arange(len(chosen))
    is_chosen = positions[codes] >= 0
    marks = np.zeros((len(pieces), len(chosen)))
    marks[of_text[is_chosen], positions[codes[is_chosen]]] = 1
    return marks


def encode_moments(column: Column, rows: Integers, time_format: TimestampFormat) -> Floats:
    """Returns float64 [rows, 4]: hour, weekday, day of the year and date; NaN without a time."""
    moments = _read_moments(column, time_format)[rows]
    days, years = moments.astype("datetime64[D]"), moments.astype("datetime64[Y]")
    number = days.astype(np.int64)
    parts: Floats = np.stack(
        [
            (moments - days).astype(np.int64) / 3600,
            (number + _DAYS_BEFORE) % 7,
            number - years.astype("datetime64[D]").astype(np.int64),
            number,
        ],
        axis=1,
    ).astype(np.float64)
    parts[np.isnat(moments)] = np.nan
    return parts


def _read_moments(column: Column, time_format: TimestampFormat) -> npt.NDArray[np.datetime64]:
    """Returns datetime64[s] [sampled rows], NaT where there is no time."""
    if time_format == "epoch_seconds" or time_format == "epoch_milliseconds":
        return (column.values / EPOCH_UNITS[time_format]).astype("datetime64[s]")
    times = pc.cast(parse_times(column.cells, time_format), pa.timestamp("us"))
    moments: npt.NDArray[np.datetime64] = times.to_numpy(zero_copy_only=False)
    return moments.astype("datetime64[s]")
