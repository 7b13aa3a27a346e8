"""TF-IDF weights; test_preprocessing compares them with scikit-learn's."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from trainer_module.encoding.ngrams import NGrams
from trainer_module.encoding.tfidf import _CountTexts, _weigh


def test_texts_are_counted_over_batches_and_workers() -> None:
    count = _CountTexts(4)
    batches = [([0, 2, 0], 3), ([2, 2], 4), ([], 1)]
    seen = [
        count.add_input(count.create_accumulator(), (np.array(ids, np.int64), np.array([rows])))
        for ids, rows in batches
    ]
    rarity = count.extract_output(count.merge_accumulators(seen))
    assert rarity.dtype == np.float32
    np.testing.assert_allclose(rarity, [1 + np.log(9 / 3), 0, 1 + np.log(9 / 4), 0])


def test_the_greatest_weights_are_kept_and_unknown_buckets_weigh_nothing() -> None:
    buckets = tf.ragged.constant([[0, 1, 2, 3], [], [3]], dtype=tf.int64)
    counts = tf.ragged.constant([[1.0, 1.0, 1.0, 9.0], [], [1.0]])
    ids, weights = _weigh(NGrams(buckets, counts), tf.constant([4.0, 1.0, 3.0, 0.0]), 2)
    assert ids.numpy().tolist() == [[1, 3], [0, 0], [0, 0]]
    np.testing.assert_allclose(weights, [[0.8, 0.6], [0, 0], [0, 0]], atol=1e-6)
