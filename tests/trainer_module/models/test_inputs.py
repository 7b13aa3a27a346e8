"""Keras inputs of features, and their embeddings."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
import tf_keras
from pydantic import TypeAdapter

from pipeline.config import Feature
from trainer_module.models.inputs import Category, Inputs


def test_the_embedding_of_a_text_is_the_mean_over_its_tokens() -> None:
    feature = TypeAdapter(Feature).validate_python({"kind": "text", "max_tokens": 3})
    ids = tf_keras.Input([3], dtype=tf.int64)
    category = Category("note", ids, feature, id_count=4)
    model = tf_keras.Model(ids, category.embed(2, "embedding"))
    model.set_weights([np.array([[9, 9], [1, 2], [3, 4], [5, 6]])])
    vectors = model(tf.constant([[1, 3, 0], [2, 0, 0], [0, 0, 0]], tf.int64))
    np.testing.assert_allclose(vectors, [[3, 4], [3, 4], [0, 0]])


def test_all_features_together_are_numbers_then_encoded_numbers_then_embeddings() -> None:
    feature = TypeAdapter(Feature).validate_python(
        {"kind": "hashed", "buckets": 2, "embedding_dimension": 4}
    )
    numbers, encoded = tf_keras.Input([2]), tf_keras.Input([3])
    ids = tf_keras.Input([1], dtype=tf.int64)
    inputs = Inputs({}, [numbers], [Category("color", ids, feature, 3)], [encoded])
    model = tf_keras.Model([numbers, encoded, ids], inputs.together())
    model.set_weights([np.full([3, 4], 7.0)])
    row = model([tf.ones([1, 2]), tf.fill([1, 3], 2.0), tf.constant([[1]], tf.int64)])
    assert row.numpy().tolist() == [[1, 1, 2, 2, 2, 7, 7, 7, 7]]
