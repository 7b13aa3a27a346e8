"""The section `model`: the architecture of the network, or the settings of boosted trees."""

from __future__ import annotations

import difflib
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator

from pipeline.config.base import Section
from pipeline.config.sections.families.trees import TreesConfig

Family = Literal["linear", "dnn", "wide_deep", "dcn_v2", "ensemble", "trees"]

TREES: Family = "trees"
"""The only family that is no network."""


class ModelConfig(Section):
    """The model."""

    later_keys = frozenset(("trees",))

    family: str = "wide_deep"
    """A network, `linear`, `dnn`, `wide_deep`, `dcn_v2` or `ensemble`; boosted trees, `trees`; or \
the dotted path of your own function for a network: see docs/training.md."""
    hidden_units: tuple[Annotated[int, Field(ge=1)], ...] = (128, 64)
    """The widths of the hidden layers, the first one next to the input."""
    activation: Literal["relu", "gelu", "swish", "tanh"] = "relu"
    """The activation function of the hidden layers."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """The share of units that dropout sets to zero in training."""
    numeric_bins: int = Field(default=0, ge=0, le=256)
    """The number of bins of the piecewise-linear encoding of numeric features; 0 turns it off."""
    members: int = Field(default=8, ge=2)
    """The number of networks in `ensemble`."""
    cross_layers: int = Field(default=2, ge=1)
    """The number of cross layers of `dcn_v2`."""
    options: dict[str, Any] = {}
    """Settings that your own function reads."""
    trees: TreesConfig = TreesConfig()
    """The settings of `trees`, which reads no other key of this section."""

    @field_validator("family")
    @classmethod
    def _check_family(cls, family: str) -> str:
        known = get_args(Family)
        if family in known or ("." in family and all(map(str.isidentifier, family.split(".")))):
            return family
        near = difflib.get_close_matches(family, known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
        raise ValueError(f"there is no model family {family!r}; {hint}")

    @property
    def is_trees(self) -> bool:
        """Whether the model consists of boosted trees, and not of networks."""
        return self.family == TREES

    @property
    def own_module(self) -> str | None:
        """The module of the user's own function; None for a family of the project."""
        return self.family.rpartition(".")[0] or None
