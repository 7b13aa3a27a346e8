"""Scales numbers by their mean, variance or quantiles in the training split.

Numbers are float32 [batch, 1] with NaN for a missing value. The analysis leaves missing values out.
A missing value becomes 0, the centre of every scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tensorflow as tf
import tensorflow_transform as tft

from trainer_module.encoding.quantile_sketch import FindQuantiles

SCORE_QUANTILES = 512
"""Buckets behind `normal_score`, whose outermost score is then about 3.1. More buckets would reach
further into the tails, at the cost of a larger constant in the graph."""
_MOST_DEVIATIONS = 10.0
"""Limit of a standardised number, so that an extreme value does not drown all other inputs."""
_QUANTILE_ERROR = 1e-3
"""Largest error of a quantile's rank, as a share of the rows. From 100 buckets on, the limit is a
tenth of a bucket, so that neighbouring quantiles stay apart."""
_RELATIVE_NOISE = 1e-6
"""A standard deviation below this share of the mean is float32 rounding: the column is constant."""


def apply_to_columns(
    function: Callable[..., tf.Tensor], *arguments: Mapping[str, tf.Tensor]
) -> dict[str, tf.Tensor]:
    """Returns an elementwise function of columns, [batch, 1] each, computed on one wide tensor.

    Each further argument holds the same columns. TensorFlow and TFT spend their time per node of
    the graph, not per column of a tensor.
    """
    names = list(arguments[0])
    if not names:
        return {}
    wide = (tf.concat([columns[name] for name in names], axis=1) for columns in arguments)
    return dict(zip(names, tf.split(function(*wide), len(names), axis=1), strict=True))


def signed_log(number: tf.Tensor) -> tf.Tensor:
    """Returns sign(x) * log(1 + |x|)."""
    return tf.sign(number) * tf.math.log1p(tf.abs(number))


def standardize(numbers: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """Scales columns to zero mean and unit variance, clipped to ten standard deviations.

    A constant column, or one without values, becomes 0. All columns are analysed as one tensor:
    Beam spends a third of a second on each analysis, however few the rows.
    """

    def scale(together: tf.Tensor) -> tf.Tensor:
        # tft.mean and tft.var leave NaN out.
        mean = tft.mean(together, reduce_instance_dims=False)
        deviation = tf.sqrt(tft.var(together, reduce_instance_dims=False))
        return _standardize(together, mean, deviation)

    return apply_to_columns(scale, numbers)


def scale_to_range(numbers: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """Scales columns linearly to -1 at the lowest number of the analysis, and 1 at the highest.

    A number outside of this range becomes -1 or 1: a network follows a line anywhere beyond the
    numbers that it was trained on, and the line may be wrong there. A constant column becomes 0.
    """

    def scale(together: tf.Tensor) -> tf.Tensor:
        # tft.min and tft.max do not leave NaN out.
        is_missing, most = tf.math.is_nan(together), together.dtype.max
        low = tft.min(tf.where(is_missing, most, together), reduce_instance_dims=False)
        high = tft.max(tf.where(is_missing, -most, together), reduce_instance_dims=False)
        return _scale_to_range(together, low, high)

    return apply_to_columns(scale, numbers)


def _scale_to_range(number: tf.Tensor, low: tf.Tensor, high: tf.Tensor) -> tf.Tensor:
    # Without any number in the analysis, `low` is above `high`.
    half = tf.maximum((high - low) / 2.0, 0.0)
    scaled = tf.math.divide_no_nan(number - low, half) - tf.cast(half > 0, tf.float32)
    return tf.where(tf.math.is_nan(scaled), 0.0, tf.clip_by_value(scaled, -1.0, 1.0))


def _standardize(number: tf.Tensor, mean: tf.Tensor, deviation: tf.Tensor) -> tf.Tensor:
    varies = deviation > _RELATIVE_NOISE * tf.abs(mean)
    scaled = tf.where(varies, (number - mean) / tf.where(varies, deviation, 1.0), 0.0)
    clipped = tf.clip_by_value(scaled, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    return tf.where(tf.math.is_nan(clipped), 0.0, clipped)


def quantile_boundaries(
    numbers: Mapping[str, tf.Tensor], buckets: Mapping[str, int]
) -> dict[str, tf.Tensor]:
    """Returns each column's inner quantiles, float32 [buckets - 1], ascending; some may be equal.

    Columns with the same number of buckets are analysed as one tensor.
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
    """Returns the number of boundaries below `number`, int64 [batch, 1].

    With `side="right"`, boundaries equal to `number` count too.
    """
    flat = tf.searchsorted(boundaries, tf.reshape(number, [-1]), side, tf.int64)
    return tf.reshape(flat, tf.shape(number))


def normal_score(number: tf.Tensor, boundaries: tf.Tensor) -> tf.Tensor:
    """Maps numbers to a standard normal distribution by interpolating between their quantiles.

    `boundaries` are the SCORE_QUANTILES - 1 inner quantiles of the column. A value that spans
    several quantiles, such as a frequent zero, gets the middle of their ranks. Beyond the outermost
    quantiles the score stays at about +-3.1.
    """
    below = bucket_of(number, boundaries, "left")
    not_above = bucket_of(number, boundaries, "right")
    last = SCORE_QUANTILES - 2
    lower = tf.gather(boundaries, tf.clip_by_value(below - 1, 0, last))
    upper = tf.gather(boundaries, tf.clip_by_value(below, 0, last))
    between = tf.math.divide_no_nan(number - lower, upper - lower)
    # Outside of the boundaries there is no second point: take the middle of the outermost bucket.
    inside = (below > 0) & (below <= last)
    rank = tf.cast(below, tf.float32) + tf.where(inside, between, 0.5)
    tied_rank = (tf.cast(below + not_above, tf.float32) + 1.0) / 2.0
    rank = tf.where(not_above > below, tied_rank, rank)
    score = tf.math.ndtri(rank / SCORE_QUANTILES)
    return tf.where(tf.math.is_nan(number), 0.0, score)
