"""Makes the optimizer and its learning rate schedule."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf
import tf_keras

from pipeline.config import TrainingConfig

_SGD_MOMENTUM = 0.9
"""The customary momentum: a step averages about the last ten gradients."""


def make_optimizer(config: TrainingConfig, global_batch_size: int, steps: int) -> Any:
    """Returns the optimizer of the `training` section, for at most `steps` steps."""
    rate = learning_rate(config, global_batch_size, steps)
    if config.optimizer == "adamw":
        return tf_keras.optimizers.AdamW(rate, weight_decay=config.weight_decay)
    if config.optimizer == "sgd":
        return tf_keras.optimizers.SGD(rate, momentum=_SGD_MOMENTUM)
    return tf_keras.optimizers.Adam(rate)


def learning_rate(config: TrainingConfig, global_batch_size: int, steps: int) -> Any:
    """Returns the learning rate: a number, or a schedule over the steps, counted from 0."""
    schedule = config.schedule
    peak = config.learning_rate * _batch_factor(config, global_batch_size)
    if schedule.decay == "constant" and not schedule.warmup_steps:
        return peak
    return Schedule(peak, steps, schedule.warmup_steps, schedule.decay, schedule.final_share)


def _batch_factor(config: TrainingConfig, global_batch_size: int) -> float:
    """Returns the factor by which `schedule.batch_scaling` scales the learning rate.

    The gradient of a batch n times as large has 1/n of the variance: `linear` scales by n (Goyal et
    al. 2017). `sqrt` scales by the square root of n, which suits Adam (Malladi et al. 2022).
    """
    ratio = global_batch_size / config.schedule.base_batch_size
    return {"none": 1.0, "linear": ratio, "sqrt": math.sqrt(ratio)}[config.schedule.batch_scaling]


class Schedule(tf_keras.optimizers.schedules.LearningRateSchedule):
    """A linear rise to `peak`, then a decay to `final_share * peak` at step `steps`.

    The rate depends on the step alone, so an interrupted training continues with the same rates.
    """

    def __init__(
        self, peak: float, steps: int, warmup_steps: int, decay: str, final_share: float
    ) -> None:
        self._peak = peak
        # A training shorter than its warm-up reaches the peak at its last step.
        self._warmup = min(warmup_steps, steps)
        self._steps = steps
        self._decay = decay
        self._final_share = final_share

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        step = tf.cast(step, tf.float32)
        rise = tf.minimum((step + 1) / max(self._warmup, 1), 1.0)
        done = (step - self._warmup) / max(self._steps - self._warmup, 1)
        return self._peak * rise * self._remaining_share(tf.clip_by_value(done, 0.0, 1.0))

    def _remaining_share(self, done: tf.Tensor) -> tf.Tensor:
        """Returns the share of the peak that remains after the share `done` of the decay."""
        left = {
            "constant": tf.ones_like(done),
            "linear": 1 - done,
            "cosine": (1 + tf.cos(math.pi * done)) / 2,
        }[self._decay]
        if self._decay == "constant":
            return left
        return self._final_share + (1 - self._final_share) * left

    def get_config(self) -> dict[str, Any]:
        return {
            "peak": self._peak,
            "steps": self._steps,
            "warmup_steps": self._warmup,
            "decay": self._decay,
            "final_share": self._final_share,
        }
