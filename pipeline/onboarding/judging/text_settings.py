"""Proposes the n-grams of a text feature: how many, and whether characters make some of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config.sections.features import Text
from pipeline.onboarding.judging.tokens import CHARACTER, TOKEN
from pipeline.onboarding.reading.arrays import Integers
from pipeline.onboarding.reading.columns import Column

_MOST_CELLS_LOOKED_AT = 20_000
"""Bounds the time that regular expressions take."""
_MOST_BUCKETS_LOG2 = 17
"""131,072 buckets; small tables get as many as all texts have n-grams."""
_MOST_WEIGHTS_LOG2 = 20
"""A million weights: each bucket has one for each output, and a training step updates all."""
_MOST_WORDS_OF_SHORT_TEXTS = 32
"""Words up to which texts are names, codes and short messages. These repeat parts of words rather
than words, and longer texts would have far too many n-grams of characters."""
_LONGEST_OF_CHARACTERS = 4
_LARGE_SHARE = 0.95
"""The n-grams of so many texts fit; of the others, those of the smallest weights are left out."""
_FEWEST_NGRAMS = 16
_MOST_NGRAMS = 512
_MOST_CELLS = 1 << 26
"""N-grams of all rows: each needs 12 bytes in the memory of a training, together 0.8 GB."""


def propose_text(column: Column, outputs: int) -> Text:
    """Returns the text feature of a column.

    Args:
      column: a column of texts.
      outputs: the numbers that the model computes: one for each of three or more classes, or one.
    """
    cells = column.cells.drop_null()[:_MOST_CELLS_LOOKED_AT]
    words = _count(cells, TOKEN)
    is_short = np.quantile(words, _LARGE_SHARE) <= _MOST_WORDS_OF_SHORT_TEXTS
    ngrams = 2 * words
    if is_short:
        # The marks at both ends of a word count: for each length, about one starts at a character.
        ngrams += (_LONGEST_OF_CHARACTERS - 1) * _count(cells, CHARACTER)
    total = int(ngrams.mean() * column.present)
    return Text(
        tfidf_buckets=1 << _choose_buckets_log2(total, outputs),
        character_ngrams=_LONGEST_OF_CHARACTERS if is_short else 0,
        max_ngrams=_choose_most_ngrams(ngrams, column.rows),
    )


def _count(cells: pa.Array, pattern: str) -> Integers:
    counts: Integers = pc.count_substring_regex(cells, pattern).to_numpy(zero_copy_only=False)
    return counts.astype(np.int64)


def _choose_buckets_log2(ngrams: int, outputs: int) -> int:
    """Returns the binary logarithm of the buckets for so many n-grams of all texts."""
    most = min(_MOST_BUCKETS_LOG2, _MOST_WEIGHTS_LOG2 - (outputs - 1).bit_length())
    return min(most, ngrams.bit_length())


def _choose_most_ngrams(ngrams: Integers, rows: int) -> int:
    """Returns `max_ngrams` for texts with so many n-grams each, as a multiple of eight."""
    wanted = int(np.ceil(np.quantile(ngrams, _LARGE_SHARE) / 8) * 8)
    most = min(_MOST_NGRAMS, _MOST_CELLS // max(rows, 1))
    return max(_FEWEST_NGRAMS, min(wanted, most))
