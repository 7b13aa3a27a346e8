"""The wide part of texts."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from trainer_module.models.ngram_sums import NGramInput, NGramSum, add_ngram_sums


@pytest.mark.parametrize("members", [(), (3,)])
def test_the_weights_of_a_texts_n_grams_are_added_to_all_scores(members: tuple[int, ...]) -> None:
    scores = tf_keras.Input([*members, 2])
    ids, tfidf = tf_keras.Input([3], dtype=tf.int64), tf_keras.Input([3])
    text = NGramInput("note", ids, tfidf, 2)
    model = tf_keras.Model([scores, ids, tfidf], add_ngram_sums(scores, [text, text][:1]))
    rows = [
        tf.ones([2, *members, 2]),
        tf.constant([[2, 1, 0], [0, 0, 0]], tf.int64),
        tf.constant([[0.8, 0.6, 0], [0, 0, 0]]),
    ]
    np.testing.assert_array_equal(model(rows), rows[0])
    model.set_weights([np.array([[9, 9], [1, 0], [0, -2]], np.float32)])
    added = NGramSum._SPEED * np.array([[0.6, -1.6], [0, 0]], np.float32)
    wanted = 1 + added.reshape(2, *(1 for _ in members), 2)
    np.testing.assert_allclose(model(rows), np.broadcast_to(wanted, [2, *members, 2]), rtol=1e-6)


def test_scores_without_texts_stay_as_they_are() -> None:
    scores = tf_keras.Input([2])
    assert add_ngram_sums(scores, []) is scores
