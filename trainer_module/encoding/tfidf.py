"""Weights the n-grams of texts by TF-IDF: term frequency times inverse document frequency.

A text's weight of a bucket is (1 + log(count)) * (1 + log((1 + rows) / (1 + rows with the bucket)),
and the squares of a text's weights add up to 1. These are scikit-learn's weights with
`sublinear_tf`. Buckets that the training split does not have weigh nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_transform as tft

from pipeline.config.sections.features import Text
from trainer_module.encoding.ngrams import NGrams
from trainer_module.names import ngrams_name, tfidf_name


def encode_ngrams(
    ngrams: Mapping[str, NGrams], features: Mapping[str, Text]
) -> dict[str, tf.Tensor]:
    """Returns two of Transform's outputs for each column, [batch, max_ngrams] each.

    One holds the buckets of the n-grams with the greatest weights, counted from 1, with 0 for
    padding, as int64. The other one holds the weights, as float32.
    """
    if not ngrams:
        return {}
    sizes = {name: features[name].tfidf_buckets for name in ngrams}
    outputs: dict[str, tf.Tensor] = {}
    for name, rarity in _find_rarity(ngrams, sizes).items():
        ids, weights = _weigh(ngrams[name], rarity, features[name].max_ngrams)
        outputs |= {ngrams_name(name): ids, tfidf_name(name): weights}
    return outputs


def _find_rarity(ngrams: Mapping[str, NGrams], sizes: Mapping[str, int]) -> dict[str, tf.Tensor]:
    """Returns the inverse document frequency of each bucket, float32 [buckets], by column.

    All columns are analysed together: Beam spends a third of a second on each analysis.
    """
    ends = np.cumsum(list(sizes.values()))
    buckets = [
        found.buckets.values + end - sizes[name]
        for (name, found), end in zip(ngrams.items(), ends.tolist(), strict=True)
    ]
    rows = next(iter(ngrams.values())).buckets.nrows()
    (rarity,) = tft.experimental.ptransform_analyzer(
        [tf.concat(buckets, axis=0), rows[tf.newaxis]],
        FindRarity(int(ends[-1])),
        output_dtypes=[tf.float32],
        output_shapes=[[int(ends[-1])]],
    )
    return dict(zip(sizes, tf.split(rarity, list(sizes.values())), strict=True))


def _weigh(ngrams: NGrams, rarity: tf.Tensor, most: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the ids and weights of the n-grams with the greatest weights, [batch, most] each."""
    rare = tf.gather(rarity, ngrams.buckets.values)
    weights = ngrams.counts.with_values((1.0 + tf.math.log(ngrams.counts.values)) * rare)
    # `top_k` fails with fewer than `most` columns.
    beside = [[0, 0], [0, most]]
    greatest, positions = tf.math.top_k(tf.pad(weights.to_tensor(), beside), most)
    buckets = tf.gather(tf.pad(ngrams.buckets.to_tensor(), beside), positions, batch_dims=1)
    ids = tf.where(greatest > 0, buckets + 1, 0)
    shape = [None, most]
    return tf.ensure_shape(ids, shape), tf.ensure_shape(
        tf.math.l2_normalize(greatest, axis=1), shape
    )


class FindRarity(beam.PTransform):
    """Returns the inverse document frequency of each bucket, float32 [buckets].

    Takes batches of the buckets of all texts, int64, each bucket once for each of its texts, and
    the number of rows, int64 [1].
    """

    def __init__(self, buckets: int) -> None:
        super().__init__()
        self._buckets = buckets

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        return batches | beam.CombineGlobally(_CountTexts(self._buckets))


@dataclass
class _Counts:
    texts: npt.NDArray[np.int64]
    """The texts with each bucket, [buckets]."""
    rows: int


class _CountTexts(beam.CombineFn):
    def __init__(self, buckets: int) -> None:
        self._buckets = buckets

    def create_accumulator(self) -> _Counts:
        return _Counts(np.zeros(self._buckets, np.int64), 0)

    def add_input(
        self, counts: _Counts, batch: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    ) -> _Counts:
        buckets, rows = batch
        counts.texts += np.bincount(buckets, minlength=self._buckets)
        counts.rows += int(rows.sum())
        return counts

    def merge_accumulators(self, accumulators: list[_Counts]) -> _Counts:
        merged = self.create_accumulator()
        for counts in accumulators:
            merged.texts += counts.texts
            merged.rows += counts.rows
        return merged

    def extract_output(self, counts: _Counts) -> npt.NDArray[np.float32]:
        rarity = 1 + np.log((1 + counts.rows) / (1 + counts.texts))
        return np.where(counts.texts > 0, rarity, 0).astype(np.float32)
