"""Vocabulary indices from the lines of the vocabulary file."""

from __future__ import annotations

import tensorflow as tf

from trainer_module.encoding.token_counts import Vocabulary
from trainer_module.encoding.vocabularies import _blocks


def test_categories_of_equal_buckets_share_a_block_and_texts_do_not() -> None:
    cells = tf.constant([["x"], ["y"]])
    tokens = {"a": cells, "b": cells, "c": cells, "text": tf.constant(["x", "y", "z"])}
    buckets = {"a": 1, "b": 3, "c": 1, "text": 1}
    vocabularies = {name: Vocabulary(f"{name}_name", 9, 1, n) for name, n in buckets.items()}
    blocks = _blocks(tokens, vocabularies)
    assert [block.columns for block in blocks] == [["a", "c"], ["b"], ["text"]]
    assert blocks[0].keys().numpy().tolist() == [
        [b"a_name\tx", b"c_name\tx"],
        [b"a_name\ty", b"c_name\ty"],
    ]


def test_unknown_tokens_get_the_indices_behind_the_vocabulary() -> None:
    cells = tf.constant([["known"], ["unknown"]])
    vocabulary = Vocabulary("a", 9, 1, oov_buckets=2)
    [block] = _blocks({"a": cells}, {"a": vocabulary})
    # The column's five tokens start at line 10 of the file, and `known` is the third of them.
    lines, first, size = (tf.constant(v, tf.int64) for v in ([12, -1], [10], [5]))
    known, unknown = block.indices(lines, first, size)["a"].numpy()[:, 0]
    assert known == 2
    assert unknown in (5, 6)
