"""How the model is trained."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section


class TrainingConfig(Section):
    """The fit."""

    epochs: int = Field(default=20, ge=1)
    """The most passes over the training data."""
    global_batch_size: int = Field(default=256, ge=1)
    """The examples of one step over all replicas; a small training split lowers it."""
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    """The optimizer."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """The learning rate."""
    early_stopping_patience: int = Field(default=3, ge=0)
    """The epochs without a lower evaluation loss after which training ends; 0 trains all epochs."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """The seed of weights, shuffling and dropout."""
