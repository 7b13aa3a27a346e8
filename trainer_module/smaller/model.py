"""The training step with pruning and rounding."""

from __future__ import annotations

import contextlib
from typing import Any

import tensorflow as tf
import tf_keras

from trainer_module.fit.train_step import Batch, TrainingModel
from trainer_module.heads import Head
from trainer_module.smaller.pruning import Pruning
from trainer_module.smaller.rounding import Rounding


class SmallerModel(TrainingModel):
    """A `TrainingModel` that prunes after each step, and rounds within each pass if wanted."""

    def __init__(
        self,
        network: tf_keras.Model,
        head: Head,
        micro_batch_size: int | None,
        seed: int,
        jit: bool,
        pruning: Pruning | None,
        rounding: Rounding | None,
    ) -> None:
        super().__init__(network, head, micro_batch_size, seed, jit)
        self._pruning = pruning
        self._rounding = rounding

    def _test_batch(self, data: Any) -> None:
        with self._rounded():
            super()._test_batch(data)

    def _train_batch(self, data: Any) -> None:
        super()._train_batch(data)
        if self._pruning is not None:
            self._pruning.apply(self.optimizer.iterations)

    def _one_pass(
        self, batch: Batch, rows: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        with self._rounded():
            return super()._one_pass(batch, rows, seed)

    def _rounded(self) -> contextlib.AbstractContextManager[None]:
        return self._rounding.rounded() if self._rounding else contextlib.nullcontext()
