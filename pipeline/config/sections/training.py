"""The section `training`: how the model is fitted, on which devices and by which processes."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from pipeline.config.base import Section
from pipeline.config.sections.strategies import Strategy

Precision = Literal["float32", "mixed_float16", "mixed_bfloat16"]
Loop = Literal["auto", "fit", "custom"]
PrivateNetworkChoice = Literal["auto", "always", "never"]


_MOST_THREADS = 1024
"""More than the cores of today's machines. TensorFlow starts all threads at once, and with a
hundred thousand of them hangs."""


class ThreadsConfig(Section):
    """TensorFlow's thread pools in training (default: one thread per core)."""

    intra_op: int | None = Field(default=None, ge=1, le=_MOST_THREADS)
    """The number of threads that share the work of one operation."""
    inter_op: int | None = Field(default=None, ge=1, le=_MOST_THREADS)
    """The number of operations that run at the same time."""


def _check_class_weights(weights: object) -> object:
    """Returns the weights with class names as text: YAML reads some as numbers or booleans."""
    if weights is None or weights == "balanced":
        return weights
    if not isinstance(weights, dict):
        raise ValueError("must be `balanced` or a mapping of classes to weights")
    named = {str(k).lower() if isinstance(k, bool) else str(k): v for k, v in weights.items()}
    for name, weight in named.items():
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < math.inf:
            raise ValueError(f"the weight of '{name}' must be a number of 0 or more, not {weight}")
    if not any(named.values()):
        raise ValueError("at least one class needs a weight above 0")
    return named


ClassWeights = Annotated[
    Literal["balanced"] | dict[str, float] | None, BeforeValidator(_check_class_weights)
]


class RecoveryConfig(Section):
    """What the supervisor does when it loses a worker."""

    max_restarts: int = Field(default=3, ge=0)
    """The most restarts of all workers in a row without a completed step; then the run fails."""
    stall_seconds: float = Field(default=600.0, gt=0)
    """The seconds without a completed step after which all workers, or a trial of the search, are \
started again; at least 600 during start and export."""
    backup_seconds: float = Field(default=60.0, ge=0)
    """The seconds between two backups within an epoch; 0 backs up at the end of each epoch only."""


class ScheduleConfig(Section):
    """How the learning rate changes from step to step."""

    warmup_steps: int = Field(default=0, ge=0)
    """The number of steps in which the rate rises from 0 to `learning_rate`."""
    decay: Literal["constant", "linear", "cosine"] = "constant"
    """How the rate falls from there until the last step of the last epoch."""
    final_share: float = Field(default=0.0, ge=0, le=1)
    """The rate at the last step, as a share of `learning_rate`."""
    batch_scaling: Literal["none", "linear", "sqrt"] = "none"
    """How the rate grows with the global batch size: not, linearly, or with its square root."""
    base_batch_size: int = Field(default=256, ge=1)
    """The global batch size that `learning_rate` is meant for, used by `batch_scaling`."""


class TensorBoardConfig(Section):
    """What TensorBoard gets besides losses and metrics."""

    histograms: bool = False
    """Whether to write the distributions of all weights at the end of each epoch."""
    profile_steps: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    """The first and the last step to profile, counted from 1 over all epochs."""

    @field_validator("profile_steps")
    @classmethod
    def _check_order(cls, steps: tuple[int, int] | None) -> tuple[int, int] | None:
        if steps is not None and steps[0] > steps[1]:
            raise ValueError(f"the first step, {steps[0]}, is after the last step, {steps[1]}")
        return steps


class TrainingConfig(Section):
    """The fit of the network."""

    later_keys = frozenset(("deterministic", "private_network", "seconds"))

    epochs: int = Field(default=20, ge=1)
    """The most passes over the training data."""
    global_batch_size: int = Field(default=256, ge=1)
    """The examples of one step, over all replicas; a small training split lowers the number."""
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    """The optimizer."""
    weight_decay: float = Field(default=1e-2, ge=0)
    """The weight decay of `adamw`: a step takes this share, times the learning rate, off each \
weight."""
    micro_batch_size: int | None = Field(default=None, ge=1)
    """The most examples of one forward and backward pass on a replica; the gradients of a larger \
batch are accumulated over several passes (default: one pass)."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """The learning rate."""
    schedule: ScheduleConfig = ScheduleConfig()
    """How the learning rate changes from step to step."""
    early_stopping_patience: int = Field(default=3, ge=0)
    """The number of epochs without a lower eval loss after which training ends; 0 trains all \
epochs."""
    early_stopping_steps: int = Field(default=0, ge=0)
    """The fewest steps without a lower eval loss after which training ends; \
`early_stopping_patience` must have passed, too."""
    seconds: float | None = Field(default=None, gt=0)
    """The wall time in seconds after which training ends, within an epoch too; the best weights \
so far are kept, and the parts of a blend share the time (default: no limit). Reading the rows, \
choosing n-grams, scoring the parts of a blend and the export come on top. The model then depends \
on the speed of the machine."""
    class_weights: ClassWeights = None
    """The weight of a row by its class (default: 1); `balanced` gives all classes in split train \
the same total weight."""
    warm_start: bool = False
    """Whether training starts from the weights of the served model, as far as they fit."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """The seed of initial weights, shuffling and dropout."""
    deterministic: bool = False
    """Whether TensorFlow uses only operations that give the same result each time, which GPUs and \
own networks may need for equal weights from equal seeds; slower, and an operation that cannot is \
an error."""
    loop: Loop = "auto"
    """The training loop: `fit` is Keras's; `custom` is the project's, with less time between \
epochs; `auto` is `custom` where the strategy supports it."""
    strategy: Strategy = "auto"
    """The distribution strategy, see docs/training.md; `auto` chooses by the machine's devices."""
    workers: int = Field(default=1, ge=1)
    """The number of workers that train together, each in its own process."""
    parameter_servers: int | None = Field(default=None, ge=1)
    """The number of parameter servers under strategy parameter_server (default: 1)."""
    devices: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    """The numbers of the GPUs to train on (default: all); `[]` trains on the CPU."""
    threads: ThreadsConfig = ThreadsConfig()
    """TensorFlow's thread pools."""
    private_network: PrivateNetworkChoice = "auto"
    """Whether the workers of one machine get a network that nobody else reaches and that has no \
way out: `always`, `never`, or with `auto` if the machine allows it."""
    precision: Precision = "float32"
    """The type of the network's computations; weights and outputs stay float32."""
    jit_compile: bool = False
    """Whether XLA compiles the forward and backward pass."""
    steps_per_execution: int | None = Field(default=None, ge=1)
    """The number of steps in one call of TensorFlow (default: as many as take a tenth of a \
second)."""
    tensorboard: TensorBoardConfig = TensorBoardConfig()
    """What TensorBoard gets besides losses and metrics."""
    recovery: RecoveryConfig = RecoveryConfig()
    """What the supervisor does when it loses a worker."""

    @model_validator(mode="after")
    def _check_workers_have_examples(self) -> TrainingConfig:
        # Under parameter_server, each worker trains on whole global batches.
        if self.strategy != "parameter_server" and self.workers > self.global_batch_size:
            raise ValueError(
                f"{self.workers} workers cannot share a global_batch_size of "
                f"{self.global_batch_size}: each worker needs one example of every step"
            )
        return self

    @property
    def has_servers(self) -> bool:
        """Whether each training process runs TensorFlow's gRPC server, also a single worker."""
        return self.strategy in ("multi_worker", "parameter_server") or self.workers > 1

    @property
    def tasks(self) -> dict[str, int]:
        """Returns the number of training processes by task; {} to train in the Trainer's process.

        Own devices or threads need their own process: TensorFlow takes both settings only before
        it starts, and it has started in the process that runs the other components.
        """
        if self.strategy == "parameter_server":
            return {"chief": 1, "worker": self.workers, "ps": self.parameter_servers or 1}
        needs_own_process = self.devices is not None or self.threads != ThreadsConfig()
        if self.strategy == "multi_worker" or self.workers > 1 or needs_own_process:
            return {"worker": self.workers}
        return {}
