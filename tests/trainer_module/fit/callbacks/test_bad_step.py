"""The first step with a NaN or infinite loss."""

from __future__ import annotations

import math

import pytest
import tensorflow as tf

from trainer_module.fit.callbacks.bad_step import FirstBadStep


@pytest.mark.parametrize(
    ("losses", "step", "is_own"),
    [
        ([(0.5, 0.5), (0.4, 0.4)], -1, False),
        ([(0.5, 0.5), (math.nan, 0.4), (math.nan, math.nan)], 11, False),
        ([(0.5, 0.5), (math.inf, math.inf), (math.nan, 0.5)], 11, True),
    ],
)
def test_the_first_bad_step_is_remembered(
    losses: list[tuple[float, float]], step: int, is_own: bool
) -> None:
    bad_step = FirstBadStep()
    bad_step.start(10)
    for loss, own_loss in losses:
        bad_step.record(tf.constant(loss), tf.constant(own_loss))
    assert bad_step.read() == step
    assert bad_step.is_own(tf.distribute.get_strategy()) is is_own
    bad_step.start(0)
    assert bad_step.read() == -1
