"""The seconds per step between two calls."""

from __future__ import annotations

import time

import tensorflow as tf

from trainer_module.fit.callbacks.step_seconds import StepTimer


def test_seconds_are_measured_from_the_first_call_on() -> None:
    timer, strategy = StepTimer(), tf.distribute.get_strategy()
    assert timer.measure(10, strategy) is None
    time.sleep(0.04)
    steps, seconds = timer.measure(14, strategy) or (0, 0.0)
    assert steps == 4
    assert 0.01 <= seconds < 1
    timer.reset()
    assert timer.measure(15, strategy) is None
