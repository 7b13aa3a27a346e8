"""The architecture of the model."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section


class ModelConfig(Section):
    """A wide and deep network."""

    hidden_units: tuple[int, ...] = (128, 64)
    """The widths of the deep part's layers, from the input on."""
    activation: Literal["relu", "gelu", "swish", "tanh"] = "relu"
    """The activation of the deep part's layers."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """The share of units dropped while training."""
    wide: bool = True
    """Whether each feature also has a direct, linear way to the output."""
