"""Looks up tokens in the vocabularies of all columns: one analysis, one file, one table.

An analysis costs Beam more than a second, however few the rows, and every table takes its part of
the time in which the model is traced, saved and loaded. So the columns share them.
"""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf
import tensorflow_transform as tft

from trainer_module.token_counts import Vocabulary, WriteVocabularies
from trainer_module.vocabulary_file import END, SEPARATOR


def index_tokens(
    tokens: Mapping[str, tf.Tensor], vocabularies: Mapping[str, Vocabulary]
) -> dict[str, tf.Tensor]:
    """Looks up tokens, string of any shape, in the vocabularies of their columns.

    Gives int64 of the same shapes: the tokens of the vocabulary count from 0, the most frequent
    first; behind them follow the buckets that all others are hashed into.
    """
    if not tokens:
        return {}
    names = [vocabularies[column].name for column in tokens]
    keys = [_keys(name, cells) for name, cells in zip(names, tokens.values(), strict=True)]
    (path,) = tft.experimental.ptransform_analyzer(
        [tf.concat(keys, axis=0)],
        WriteVocabularies(list(vocabularies.values())),
        output_dtypes=[tf.string],
        output_shapes=[[]],
        output_asset_default_values=[END.encode()],
    )
    parts = [*keys, tf.constant([*names, END])]
    lines = tft.apply_vocabulary(tf.concat(parts, axis=0), path)
    *found, headings = tf.split(lines, tf.stack([tf.size(p) for p in parts]), num=len(parts))
    return {
        column: _index(cells, found[i], headings[i : i + 2], vocabularies[column].oov_buckets)
        for i, (column, cells) in enumerate(tokens.items())
    }


def _keys(name: str, tokens: tf.Tensor) -> tf.Tensor:
    """string [tokens]: how the tokens of a column stand in the file."""
    return tf.strings.join([name + SEPARATOR, tf.reshape(tokens, [-1])])


def _index(tokens: tf.Tensor, lines: tf.Tensor, headings: tf.Tensor, oov_buckets: int) -> tf.Tensor:
    """From the keys' lines, -1 where there is none, and those of the column's and the next name."""
    size = headings[1] - headings[0] - 1
    bucket = tf.strings.to_hash_bucket_fast(tokens, oov_buckets)
    rank = tf.reshape(lines, tf.shape(tokens)) - headings[0] - 1
    return tf.where(rank >= 0, rank, size + bucket)
