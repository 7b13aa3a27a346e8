"""Batches both splits and distributes the batches over the replicas of a strategy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import tensorflow as tf

from pipeline.config import TrainingConfig
from trainer_module.devices.strategy import replicas_of
from trainer_module.fit.loop import choose_loop, custom_fit
from trainer_module.fit.parameter_server import is_coordinator, make_worker_batches
from trainer_module.input.batching import Batching, evaluation_batching, training_batching
from trainer_module.input.dataset import Start, make_batches, require_fits_in_memory
from trainer_module.input.examples import Examples
from trainer_module.input.row_weights import EQUAL, RowWeights


class DistributedData:
    """The training and the evaluation split under one strategy."""

    def __init__(
        self,
        train: Examples,
        evaluation: Examples,
        config: TrainingConfig,
        strategy: tf.distribute.Strategy,
        weights: RowWeights = EQUAL,
    ) -> None:
        self.train = train
        self.evaluation = evaluation
        self.replicas = replicas_of(strategy)
        self.weights = weights
        """The weights of rows in the loss."""
        self._config = config
        self._strategy = strategy

    @property
    def is_coordinated(self) -> bool:
        """Whether this process schedules steps on workers and runs none itself."""
        return is_coordinator(self._strategy)

    @cached_property
    def batching(self) -> Batching:
        """Batching of the training split."""
        return training_batching(
            self.train.row_count, self._config.global_batch_size, self.replicas
        )

    @cached_property
    def evaluation_batching(self) -> Batching:
        """Batching of the evaluation split."""
        return evaluation_batching(self.evaluation.row_count, self.replicas)

    def training_batches(self, start: Start) -> Any:
        """Returns endless shuffled batches for all replicas, beginning at `start`.

        Raises:
          ConfigError: a worker of a parameter server training could not hold the split in memory.
        """
        if self.is_coordinated:
            require_fits_in_memory(self.train)
            return make_worker_batches(self.own_training_batches, start.epoch)
        return self._distribute(lambda: self.own_training_batches(start))

    def own_training_batches(self, start: Start) -> tf.data.Dataset:
        """Returns the batches of this process: one for each of its replicas in turn."""
        return make_batches(
            self.train, self.batching, self.replicas, self._config.seed, start, self.weights
        )

    def evaluation_batches(self) -> Any:
        """Returns endless passes over the evaluation split, for all replicas."""
        return self._distribute(
            lambda: make_batches(
                self.evaluation,
                self.evaluation_batching,
                self.replicas,
                weights=self.weights,
            )
        )

    def facts(self) -> dict[str, int]:
        """Returns the sizes that the report of the run shows."""
        return {
            "train_examples": self.train.row_count,
            "eval_examples": self.evaluation.row_count,
            "global_batch_size": self.batching.global_batch_size,
            "batch_size": self.batching.batch_size,
            "steps_per_epoch": self.batching.steps,
            "replicas": self.replicas.total,
        }

    @property
    def _runs_own_batches(self) -> bool:
        """Whether the loop may take this worker's batches as they are.

        TensorFlow's distributed iterator hands each batch from thread to thread until it is on the
        device. That pays for a GPU; on a CPU, it only makes short steps longer. Keras's own loop
        would divide the batches among the workers.
        """
        return (
            isinstance(self._strategy, tf.distribute.MultiWorkerMirroredStrategy)
            and self.replicas.local == 1
            and not tf.config.list_logical_devices("GPU")
            and choose_loop(self._config.loop, self._strategy) is custom_fit
        )

    def _distribute(self, make: Callable[[], tf.data.Dataset]) -> Any:
        if self.replicas.total == 1 or self._runs_own_batches:
            return make()
        # Keras would split these batches between the replicas, but each is one replica's already.
        return self._strategy.distribute_datasets_from_function(lambda _: make())
