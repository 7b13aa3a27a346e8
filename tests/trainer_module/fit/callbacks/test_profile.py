"""The profile of chosen steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition
from trainer_module.fit.callbacks.profile import Profile


@pytest.mark.parametrize(("steps", "profiles"), [((2, 3), 1), ((6, 99), 1), ((9, 10), 0)])
def test_the_chosen_steps_are_profiled_once(
    steps: tuple[int, int], profiles: int, tmp_path: Path
) -> None:
    """Two epochs of four steps; a range beyond them ends with the training."""
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    position, rows = FitPosition(0, 0), np.ones((8, 1))
    callbacks = [position, Profile(position, steps, 4, str(tmp_path))]
    model.fit(rows, rows, 2, 2, 0, callbacks)
    assert len(list(tmp_path.rglob("*.xplane.pb"))) == profiles
