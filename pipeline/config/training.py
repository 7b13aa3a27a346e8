"""How the model is trained."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section
from pipeline.config.strategies import Strategy

Precision = Literal["float32", "mixed_float16", "mixed_bfloat16"]


class RecoveryConfig(Section):
    """What happens when a worker is lost."""

    max_restarts: int = Field(default=3, ge=0)
    """The restarts of all workers, in a row and without a step gained, before the run fails."""
    stall_seconds: float = Field(default=600.0, gt=0)
    """The seconds in which no worker gets any further after which all are restarted."""


class TrainingConfig(Section):
    """The fit."""

    epochs: int = Field(default=20, ge=1)
    """The most passes over the training data."""
    global_batch_size: int = Field(default=256, ge=1)
    """The examples of one step over all replicas; a small training split lowers it."""
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    """The optimizer."""
    micro_batch_size: int | None = Field(default=None, ge=1)
    """The most examples of one pass on one replica: a larger batch is worked on piece by piece."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """The learning rate."""
    early_stopping_patience: int = Field(default=3, ge=0)
    """The epochs without a lower evaluation loss after which training ends; 0 trains all epochs."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """The seed of weights, shuffling and dropout."""
    strategy: Strategy = "auto"
    """How replicas share the work; auto takes what the machine offers."""
    workers: int = Field(default=1, ge=1)
    """The workers that train together, each a process of its own."""
    precision: Precision = "float32"
    """The type in which the network computes; weights and outputs stay float32."""
    jit_compile: bool = False
    """Whether XLA compiles the forward and backward pass."""
    recovery: RecoveryConfig = RecoveryConfig()
    """What happens when one of several workers is lost."""
