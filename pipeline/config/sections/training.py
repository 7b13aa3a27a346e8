"""How the model is trained."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pipeline.config.base import Section
from pipeline.config.sections.strategies import Strategy

Precision = Literal["float32", "mixed_float16", "mixed_bfloat16"]
Loop = Literal["auto", "fit", "custom"]


class ThreadsConfig(Section):
    """The threads that TensorFlow trains with; as many as there are cores where left out."""

    intra_op: int | None = Field(default=None, ge=1)
    """The threads that share the work of one operation."""
    inter_op: int | None = Field(default=None, ge=1)
    """The operations that run at the same time."""


def _check_class_weights(weights: object) -> object:
    """YAML reads classes as numbers and booleans, where the table holds text."""
    if weights is None or weights == "balanced":
        return weights
    if not isinstance(weights, dict):
        raise ValueError("should be `balanced`, or a mapping of classes to weights")
    named = {str(k).lower() if isinstance(k, bool) else str(k): v for k, v in weights.items()}
    for name, weight in named.items():
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < math.inf:
            raise ValueError(f"the weight of '{name}' should be a number from 0 on, not {weight}")
    if not any(named.values()):
        raise ValueError("some class has to count")
    return named


ClassWeights = Annotated[
    Literal["balanced"] | dict[str, float] | None, BeforeValidator(_check_class_weights)
]


class RecoveryConfig(Section):
    """What happens when a worker is lost."""

    max_restarts: int = Field(default=3, ge=0)
    """The restarts of all workers, in a row and without a step gained, before the run fails."""
    stall_seconds: float = Field(default=600.0, gt=0)
    """The seconds without a step of any worker after which all are restarted; where none are \
made, as at the start and in the export, ten minutes at least."""
    backup_seconds: float = Field(default=60.0, ge=0)
    """The seconds between backups within an epoch; 0 makes one at the end of each epoch only."""


class ScheduleConfig(Section):
    """How the learning rate changes from step to step."""

    warmup_steps: int = Field(default=0, ge=0)
    """The steps in which it rises from nothing to the learning rate."""
    decay: Literal["constant", "linear", "cosine"] = "constant"
    """How it goes on from there, until the last step of the last epoch."""
    final_share: float = Field(default=0.0, ge=0, le=1)
    """What is left of it at the last step, as a share of the learning rate."""
    batch_scaling: Literal["none", "linear", "sqrt"] = "none"
    """How it grows with the global batch size: in proportion, or with the square root."""
    base_batch_size: int = Field(default=256, ge=1)
    """The global batch size that the learning rate is meant for, where it grows with it."""


class TensorBoardConfig(Section):
    """What is written for TensorBoard beside the losses and metrics."""

    histograms: bool = False
    """Whether the distributions of all weights are written at the end of each epoch."""
    profile_steps: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    """The first and the last step of which a profile is taken, counted from 1 over all epochs."""

    @field_validator("profile_steps")
    @classmethod
    def _are_in_order(cls, steps: tuple[int, int] | None) -> tuple[int, int] | None:
        if steps is not None and steps[0] > steps[1]:
            raise ValueError(f"the first step, {steps[0]}, comes after the last, {steps[1]}")
        return steps


class TrainingConfig(Section):
    """The fit."""

    epochs: int = Field(default=20, ge=1)
    """The most passes over the training data."""
    global_batch_size: int = Field(default=256, ge=1)
    """The examples of one step over all replicas; a small training split lowers it."""
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    """The optimizer."""
    weight_decay: float = Field(default=1e-2, ge=0)
    """The share of each weight that `adamw` takes away in a step, times the learning rate."""
    micro_batch_size: int | None = Field(default=None, ge=1)
    """The most examples of one pass on one replica: a larger batch is worked on piece by piece."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """The learning rate."""
    schedule: ScheduleConfig = ScheduleConfig()
    """How the learning rate changes from step to step."""
    early_stopping_patience: int = Field(default=3, ge=0)
    """The epochs without a lower evaluation loss after which training ends; 0 trains all epochs."""
    early_stopping_steps: int = Field(default=0, ge=0)
    """The steps without a lower evaluation loss that have to have passed as well."""
    class_weights: ClassWeights = None
    """How much a row of each class counts, by class (1 where left out); `balanced` lets all \
classes with training rows count the same."""
    warm_start: bool = False
    """Whether training starts from the weights of the served model, where they fit."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """The seed of weights, shuffling and dropout."""
    loop: Loop = "auto"
    """Who drives the steps: Keras's `fit`, or a loop of this project's own, which spends less \
between epochs; auto takes that where the strategy allows it."""
    strategy: Strategy = "auto"
    """How replicas share the work, see docs/training.md; auto takes what the machine offers."""
    workers: int = Field(default=1, ge=1)
    """The workers that train together, each a process of its own."""
    parameter_servers: int | None = Field(default=None, ge=1)
    """The processes that keep the weights under strategy parameter_server; 1 if left out."""
    devices: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    """The GPUs to train on, by their numbers; all if left out, and `[]` for none."""
    threads: ThreadsConfig = ThreadsConfig()
    """The threads to train with."""
    precision: Precision = "float32"
    """The type in which the network computes; weights and outputs stay float32."""
    jit_compile: bool = False
    """Whether XLA compiles the forward and backward pass."""
    steps_per_execution: int | None = Field(default=None, ge=1)
    """The steps that TensorFlow makes at once; left out, as many as take a tenth of a second."""
    tensorboard: TensorBoardConfig = TensorBoardConfig()
    """What is written for TensorBoard beside the losses and metrics."""
    recovery: RecoveryConfig = RecoveryConfig()
    """What happens when one of several workers is lost."""

    @model_validator(mode="after")
    def _workers_have_rows(self) -> TrainingConfig:
        # With parameter servers, each worker takes steps of its own, of whole batches.
        if self.strategy != "parameter_server" and self.workers > self.global_batch_size:
            raise ValueError(
                f"workers is {self.workers}, and global_batch_size {self.global_batch_size} has "
                "not one example of a step for each"
            )
        return self

    @property
    def tasks(self) -> dict[str, int]:
        """The processes to train in, by their task in a cluster; empty where none is needed.

        Devices and threads are chosen before TensorFlow starts, which in the process that runs
        the other components it has.
        """
        if self.strategy == "parameter_server":
            return {"chief": 1, "worker": self.workers, "ps": self.parameter_servers or 1}
        apart = self.devices is not None or self.threads != ThreadsConfig()
        if self.strategy == "multi_worker" or self.workers > 1 or apart:
            return {"worker": self.workers}
        return {}
