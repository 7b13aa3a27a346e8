"""Looks up the tokens of all columns with a single analysis, vocabulary file and lookup table.

Beam spends more than a second on an analysis, however few the rows. Each lookup table adds to the
time in which the model is traced, saved and loaded. So all columns share an analysis and a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import tensorflow as tf
import tensorflow_transform as tft

from trainer_module.encoding.token_counts import Vocabulary, WriteVocabularies
from trainer_module.encoding.vocabulary_file import END, SEPARATOR


def index_tokens(
    tokens: Mapping[str, tf.Tensor], vocabularies: Mapping[str, Vocabulary]
) -> dict[str, tf.Tensor]:
    """Returns the vocabulary indices of tokens, by column.

    Takes string [batch, 1] for a category, or [tokens] for text, and returns int64 of the same
    shape. The most frequent token of a vocabulary has index 0. The indices after the vocabulary are
    the buckets that all other tokens are hashed into.
    """
    if not tokens:
        return {}
    blocks = _blocks(tokens, vocabularies)
    keys = [tf.reshape(block.keys(), [-1]) for block in blocks]
    # Counting in the graph hands each distinct key to Beam once per batch: Beam handles each key as
    # a Python object.
    distinct, _, counts = tf.unique_with_counts(tf.concat(keys, axis=0), tf.int64)
    (path,) = tft.experimental.ptransform_analyzer(
        [distinct, counts],
        WriteVocabularies(list(vocabularies.values())),
        output_dtypes=[tf.string],
        output_shapes=[[]],
        output_asset_default_values=[END.encode()],
    )
    headings = tf.constant([*(vocabularies[column].name for column in tokens), END])
    parts = [*keys, headings]
    lines = tft.apply_vocabulary(tf.concat(parts, axis=0), path)
    *found, stops = tf.split(lines, tf.stack([tf.size(p) for p in parts]), num=len(parts))
    order = {column: position for position, column in enumerate(tokens)}
    indices: dict[str, tf.Tensor] = {}
    for block, block_lines in zip(blocks, found, strict=True):
        positions = [order[column] for column in block.columns]
        first = tf.gather(stops, positions) + 1
        size = tf.gather(stops, [position + 1 for position in positions]) - first
        indices |= block.indices(block_lines, first, size)
    return {
        c: indices[c][:, 0] if cells.shape.rank == 1 else indices[c] for c, cells in tokens.items()
    }


@dataclass(frozen=True)
class _Block:
    """Columns with equally many tokens, which share their nodes in the graph."""

    columns: list[str]
    names: list[str]
    cells: tf.Tensor
    """string [rows, columns]"""
    oov_buckets: int

    def keys(self) -> tf.Tensor:
        """Returns the tokens' lines in the vocabulary file, string [rows, columns]."""
        prefixes = tf.constant([[name + SEPARATOR for name in self.names]])
        return tf.strings.join([tf.tile(prefixes, [tf.shape(self.cells)[0], 1]), self.cells])

    def indices(self, lines: tf.Tensor, first: tf.Tensor, size: tf.Tensor) -> dict[str, tf.Tensor]:
        """Returns vocabulary indices, int64 [rows, 1], by column.

        `lines` holds the line number of each key, -1 for a token outside of the vocabulary. `first`
        and `size` hold the line of each column's first token and its number of tokens.
        """
        rank = tf.reshape(lines, tf.shape(self.cells)) - first
        bucket = tf.strings.to_hash_bucket_fast(self.cells, self.oov_buckets)
        index = tf.where(rank >= 0, rank, size + bucket)
        return dict(zip(self.columns, tf.split(index, len(self.columns), axis=1), strict=True))


def _blocks(
    tokens: Mapping[str, tf.Tensor], vocabularies: Mapping[str, Vocabulary]
) -> list[_Block]:
    """Groups categories by their number of out-of-vocabulary buckets; a text is a block alone."""
    groups: dict[object, list[str]] = {}
    for column, cells in tokens.items():
        oov_buckets = vocabularies[column].oov_buckets
        groups.setdefault(column if cells.shape.rank == 1 else oov_buckets, []).append(column)
    return [
        _Block(
            columns,
            [vocabularies[column].name for column in columns],
            tf.concat([_as_column(tokens[column]) for column in columns], axis=1),
            vocabularies[columns[0]].oov_buckets,
        )
        for columns in groups.values()
    ]


def _as_column(cells: tf.Tensor) -> tf.Tensor:
    """Returns tokens of either shape as [rows, 1]."""
    return cells[:, tf.newaxis] if cells.shape.rank == 1 else cells
