"""The position of a fit whose first epoch was interrupted."""

from __future__ import annotations

import numpy as np
import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition


def test_the_steps_of_an_interrupted_epoch_are_counted_on() -> None:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    position, seen = FitPosition(3, 5), []
    look = tf_keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: seen.append((position.epoch, position.step))
    )
    rows = np.ones((4, 1))
    model.fit(rows, rows, 2, epochs=5, initial_epoch=3, verbose=0, callbacks=[position, look])
    assert seen == [(3, 6), (3, 7), (4, 1), (4, 2)]
