"""The number of steps that TensorFlow runs at once."""

from __future__ import annotations

import pytest

from trainer_module.fit.callbacks.steps_per_execution import count_steps_within


@pytest.mark.parametrize(("seconds", "steps"), [(1e-4, 64), (0.01, 10), (0.07, 2), (5.0, 2)])
def test_the_number_of_steps_fits_the_seconds_between_2_and_64(seconds: float, steps: int) -> None:
    assert count_steps_within(0.1, seconds) == steps
