"""Distances between places on the earth."""

from __future__ import annotations

import math

import tensorflow as tf

_DIAMETER = 2 * 6371.0
"""Of the earth, in km; its radius is between 6357 km and 6378 km."""
_RADIANS = math.pi / 180


def measure_distance(
    latitude: tf.Tensor, longitude: tf.Tensor, other_latitude: tf.Tensor, other_longitude: tf.Tensor
) -> tf.Tensor:
    """Returns the distance of two places as the crow flies, in km, by the haversine formula.

    Source: Sinnott, Virtues of the Haversine (1984), Sky and Telescope 68. Unlike the law of
    cosines, the formula is accurate for places nearby.

    Args:
      latitude, longitude: one place, in degrees, float32 of any shape.
      other_latitude, other_longitude: the other place, of the same shape.

    Returns:
      float32 of the same shape; NaN where any degree is NaN.
    """
    north = tf.sin((other_latitude - latitude) * _RADIANS / 2) ** 2
    east = tf.sin((other_longitude - longitude) * _RADIANS / 2) ** 2
    haversine = north + tf.cos(latitude * _RADIANS) * tf.cos(other_latitude * _RADIANS) * east
    # Rounding may lift it above 1, and degrees that are none may push it below 0.
    return _DIAMETER * tf.asin(tf.sqrt(tf.clip_by_value(haversine, 0.0, 1.0)))
