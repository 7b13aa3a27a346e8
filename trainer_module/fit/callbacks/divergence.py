"""Stops a fit with a NaN or infinite loss, and describes the batch of the first such step."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.core.errors import DivergenceError, EchoedDivergenceError
from trainer_module.fit.callbacks.bad_step import NO_STEP
from trainer_module.fit.callbacks.fit_position import FitPosition, Logs
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.worker_values import least_over_workers
from trainer_module.input.dataset import Start

_SHOWN = 3
"""Features that the message describes, those of the largest values; the log describes all."""


class StopIfDiverged(tf_keras.callbacks.Callback):
    """Raises at a NaN or infinite loss: the weights are lost, and no later step can recover."""

    def __init__(self, position: FitPosition, data: DistributedData, learning_rate: float) -> None:
        super().__init__()
        self._position = position
        self._data = data
        self._learning_rate = learning_rate

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        loss = (logs or {}).get("loss", 0.0)
        if math.isfinite(loss):
            return
        raise self._describe(loss)

    def _describe(self, loss: float) -> DivergenceError:
        """Returns the error, with the batch if a replica of this process was the first.

        This is a collective operation. All workers come here after the same step: they see the loss
        over all replicas.
        """
        if self._data.is_coordinated:
            # A worker ran the step, and this process does not know its batch.
            return self._make_error(f"the loss is {loss:g} in epoch {self._position.epoch + 1}")
        strategy = self.model.distribute_strategy
        own = self.model.first_bad_step.read(strategy)
        first = int(least_over_workers(own, strategy))
        if first == NO_STEP:
            # Finite losses whose sum is not.
            return self._make_error(f"the loss is {loss:g} in epoch {self._position.epoch + 1}")
        start = Start(*divmod(first, self._data.batching.steps))
        place = f"the loss is {loss:g} in epoch {start.epoch + 1}, at step {start.step + 1}"
        if own != first:
            return self._make_error(f"{place}, in rows of another worker", EchoedDivergenceError)
        batches = list(self._data.own_training_batches(start).take(self._data.replicas.local))
        return self._make_error(f"{place}, whose batch has {describe_batch(batches)}")

    def _make_error(
        self, reason: str, kind: type[DivergenceError] = DivergenceError
    ) -> DivergenceError:
        return divergence_error(reason, self._learning_rate, kind)


def divergence_error(
    reason: str, learning_rate: float, kind: type[DivergenceError] = DivergenceError
) -> DivergenceError:
    """Returns the error that stops the run."""
    return kind(
        f"training diverged: {reason}", f"lower training.learning_rate, now {learning_rate:g}"
    )


def describe_batch(batches: Sequence[Any]) -> str:
    """Returns the ranges of the labels and of the features with the largest values.

    Logs the ranges of all features of numbers. `batches` are the batches of one step, one for each
    replica of this process.
    """
    features, labels, *_ = tf.nest.map_structure(lambda *parts: tf.concat(parts, 0), *batches)
    floats = {name: v.numpy() for name, v in features.items() if v.dtype.is_floating}
    ranked = sorted(floats, key=lambda name: -_largest(floats[name]))
    for name in ranked:
        logging.error("The batch's '%s': %s", name, _range_of(floats[name]))
    named = [f"'{name}' {_range_of(floats[name])}" for name in ranked[:_SHOWN]]
    return "; ".join([f"{len(labels)} rows, labels {_range_of(labels.numpy())}", *named])


def _largest(values: npt.NDArray[Any]) -> float:
    """Returns the largest absolute value, or infinity if a value is NaN or infinite."""
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max(initial=0)) if finite.size == values.size else math.inf


def _range_of(values: npt.NDArray[Any]) -> str:
    finite = values[np.isfinite(values)]
    text = f"{finite.min():g} to {finite.max():g}" if finite.size else "no finite value"
    bad = values.size - finite.size
    return f"{text}, and {bad} NaN or infinite" if bad else text
