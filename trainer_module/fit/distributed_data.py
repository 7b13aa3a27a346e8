"""The two splits as the fit takes them: read, batched and spread over the replicas."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import tensorflow as tf

from pipeline.config import TrainingConfig
from trainer_module.devices.strategy import replicas_of
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
        self._weights = weights
        self._config = config
        self._strategy = strategy

    @property
    def is_coordinated(self) -> bool:
        """Whether this process hands steps out to others, and makes none itself."""
        return is_coordinator(self._strategy)

    @cached_property
    def batching(self) -> Batching:
        return training_batching(
            self.train.row_count, self._config.global_batch_size, self.replicas
        )

    @cached_property
    def evaluation_batching(self) -> Batching:
        return evaluation_batching(self.evaluation.row_count, self.replicas)

    def training_batches(self, start: Start) -> Any:
        """Shuffled batches without end."""
        if self.is_coordinated:
            require_fits_in_memory(self.train)
            return make_worker_batches(self.own_training_batches, start.epoch)
        return self._distribute(lambda: self.own_training_batches(start))

    def own_training_batches(self, start: Start) -> tf.data.Dataset:
        """Those of this process, one for each of its replicas in turn."""
        return make_batches(
            self.train, self.batching, self.replicas, self._config.seed, start, self._weights
        )

    def evaluation_batches(self) -> Any:
        """The evaluation split over and over."""
        return self._distribute(
            lambda: make_batches(
                self.evaluation,
                self.evaluation_batching,
                self.replicas,
                weights=self._weights,
            )
        )

    def facts(self) -> dict[str, int]:
        """What the report of the run says about the data."""
        return {
            "train_examples": self.train.row_count,
            "eval_examples": self.evaluation.row_count,
            "global_batch_size": self.batching.global_batch_size,
            "batch_size": self.batching.batch_size,
            "steps_per_epoch": self.batching.steps,
            "replicas": self.replicas.total,
        }

    def _distribute(self, make: Callable[[], tf.data.Dataset]) -> Any:
        # Left to itself, Keras would cut the batches up for the replicas: these are parts already.
        if self.replicas.total == 1:
            return make()
        return self._strategy.distribute_datasets_from_function(lambda _: make())
