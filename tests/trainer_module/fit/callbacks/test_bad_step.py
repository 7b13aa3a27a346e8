"""The first step with a NaN or infinite loss."""

from __future__ import annotations

import math

import pytest
import tensorflow as tf

from trainer_module.fit.callbacks.bad_step import NO_STEP, FirstBadStep


@pytest.mark.parametrize(
    ("losses", "step"),
    [
        ([0.5, 0.4], NO_STEP),
        ([0.5, math.nan, math.nan], 11),
        ([math.inf, math.inf, 0.5], 10),
    ],
)
def test_the_first_bad_step_is_remembered(losses: list[float], step: int) -> None:
    bad_step, strategy = FirstBadStep(), tf.distribute.get_strategy()
    bad_step.start(10)
    for loss in losses:
        bad_step.record(tf.constant(loss))
    assert bad_step.read(strategy) == step
    bad_step.start(0)
    assert bad_step.read(strategy) == NO_STEP
