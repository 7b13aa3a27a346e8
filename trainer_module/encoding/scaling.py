"""Brings numbers to a common scale by what the training split holds of them.

Numbers are float32 [batch, 1] with NaN for a missing value. Missing values take no part in the
analysis and become 0, the centre of every scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tensorflow as tf
import tensorflow_transform as tft

from trainer_module.encoding.quantile_sketch import FindQuantiles

SCORE_QUANTILES = 512
_MOST_DEVIATIONS = 10.0
"""An extreme value in production must not drown every other input of the network."""
_QUANTILE_ERROR = 1e-3
_RELATIVE_NOISE = 1e-6
"""A spread below this share of the mean is float32 rounding: the column is constant."""


def apply_to_columns(
    function: Callable[..., tf.Tensor], *arguments: Mapping[str, tf.Tensor]
) -> dict[str, tf.Tensor]:
    """Applies an elementwise function to columns, [batch, 1] each, as one tensor per argument.

    TensorFlow and TFT take their time for each node of the graph, not for the width of a tensor.
    """
    names = list(arguments[0])
    if not names:
        return {}
    wide = (tf.concat([columns[name] for name in names], axis=1) for columns in arguments)
    return dict(zip(names, tf.split(function(*wide), len(names), axis=1), strict=True))


def signed_log(number: tf.Tensor) -> tf.Tensor:
    return tf.sign(number) * tf.math.log1p(tf.abs(number))


def standardize(numbers: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """To zero mean and unit variance, clipped to ten standard deviations; by column.

    A column that is constant, or missing throughout, becomes 0. All columns are analysed as one
    tensor: each analysis costs a third of a second of Beam, however few the rows.
    """

    def scale(together: tf.Tensor) -> tf.Tensor:
        # Both analyzers leave out NaN.
        mean = tft.mean(together, reduce_instance_dims=False)
        deviation = tf.sqrt(tft.var(together, reduce_instance_dims=False))
        return _standardize(together, mean, deviation)

    return apply_to_columns(scale, numbers)


def _standardize(number: tf.Tensor, mean: tf.Tensor, deviation: tf.Tensor) -> tf.Tensor:
    varies = deviation > _RELATIVE_NOISE * tf.abs(mean)
    scaled = tf.where(varies, (number - mean) / tf.where(varies, deviation, 1.0), 0.0)
    clipped = tf.clip_by_value(scaled, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    return tf.where(tf.math.is_nan(clipped), 0.0, clipped)


def quantile_boundaries(
    numbers: Mapping[str, tf.Tensor], buckets: Mapping[str, int]
) -> dict[str, tf.Tensor]:
    """float32 [buckets - 1] of each column: its inner quantiles, ascending; some may be equal.

    Columns to be cut into equally many buckets are analysed as one tensor.
    """
    boundaries: dict[str, tf.Tensor] = {}
    for count in sorted({buckets[name] for name in numbers}):
        names = [name for name in numbers if buckets[name] == count]
        together = tf.concat([numbers[name] for name in names], axis=1)
        error = min(_QUANTILE_ERROR, 0.1 / count)
        (found,) = tft.experimental.ptransform_analyzer(
            [together],
            FindQuantiles(len(names), count, error),
            output_dtypes=[tf.float32],
            output_shapes=[[len(names), count - 1]],
        )
        boundaries |= dict(zip(names, tf.unstack(found, len(names)), strict=True))
    return boundaries


def bucket_of(number: tf.Tensor, boundaries: tf.Tensor, side: str = "right") -> tf.Tensor:
    """int64 [batch, 1]: how many boundaries lie below; with `right`, or are equal."""
    flat = tf.searchsorted(boundaries, tf.reshape(number, [-1]), side, tf.int64)
    return tf.reshape(flat, tf.shape(number))


def normal_score(number: tf.Tensor, boundaries: tf.Tensor) -> tf.Tensor:
    """To a standard normal distribution, by interpolating between the column's SCORE_QUANTILES.

    A value that takes several quantiles, such as a frequent zero, goes to the middle of them.
    Beyond the outermost quantiles the score stays at about +-3.1.
    """
    below = bucket_of(number, boundaries, "left")
    not_above = bucket_of(number, boundaries, "right")
    last = SCORE_QUANTILES - 2
    lower = tf.gather(boundaries, tf.clip_by_value(below - 1, 0, last))
    upper = tf.gather(boundaries, tf.clip_by_value(below, 0, last))
    between = tf.math.divide_no_nan(number - lower, upper - lower)
    # Outside the boundaries there is nothing to interpolate: the middle of the outer quantile.
    inside = (below > 0) & (below <= last)
    rank = tf.cast(below, tf.float32) + tf.where(inside, between, 0.5)
    tied_rank = (tf.cast(below + not_above, tf.float32) + 1.0) / 2.0
    rank = tf.where(not_above > below, tied_rank, rank)
    score = tf.math.ndtri(rank / SCORE_QUANTILES)
    return tf.where(tf.math.is_nan(number), 0.0, score)
