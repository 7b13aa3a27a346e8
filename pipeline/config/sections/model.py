"""The section `model`: the architecture of the network, the settings of boosted trees, or both."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from pipeline.config.base import Section
from pipeline.config.sections.families.blend import BlendConfig
from pipeline.config.sections.families.names import BLEND, FAMILIES, TREES, check_family
from pipeline.config.sections.families.trees import TreesConfig


class ModelConfig(Section):
    """The model."""

    later_keys = frozenset(("trees", "blend"))

    family: str = "wide_deep"
    """A network, `linear`, `dnn`, `wide_deep`, `dcn_v2` or `ensemble`; boosted trees, `trees`; \
`blend`, a network and boosted trees together; or the dotted path of your own function for a \
network: see docs/training.md."""
    hidden_units: tuple[Annotated[int, Field(ge=1)], ...] = (128, 64)
    """The widths of the hidden layers, the first one next to the input."""
    activation: Literal["relu", "gelu", "swish", "tanh"] = "relu"
    """The activation function of the hidden layers."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """The share of units that dropout sets to zero in training."""
    numeric_bins: int = Field(default=0, ge=0, le=256)
    """The number of bins of the piecewise-linear encoding of numbers, and of the part `date` of \
timestamps; up to twice as many where values recur. 0 turns the encoding off."""
    members: int = Field(default=8, ge=2)
    """The number of networks in `ensemble`."""
    cross_layers: int = Field(default=2, ge=1)
    """The number of cross layers of `dcn_v2`."""
    options: dict[str, Any] = {}
    """Settings that your own function reads."""
    trees: TreesConfig = TreesConfig()
    """The settings of `trees`, which reads no other key of this section, and of a blend's trees."""
    blend: BlendConfig = BlendConfig()
    """The settings of `blend`. Its network reads the other keys of this section."""

    @field_validator("family")
    @classmethod
    def _check_family(cls, family: str) -> str:
        return check_family(family, FAMILIES)

    @property
    def is_trees(self) -> bool:
        """Whether the model consists of boosted trees alone."""
        return self.family == TREES

    @property
    def has_trees(self) -> bool:
        """Whether boosted trees are the model or a part of it."""
        return self.family in (TREES, BLEND)

    @property
    def network_family(self) -> str:
        """The family of the network: of a blend, its network's; `trees` if there is no network."""
        return self.blend.network if self.family == BLEND else self.family

    @property
    def network_key(self) -> str:
        """The key that `network_family` is the value of, for messages."""
        return "model.blend.network" if self.family == BLEND else "model.family"

    @property
    def own_module(self) -> str | None:
        """The module of the user's own function; None for a family of the project."""
        return self.network_family.rpartition(".")[0] or None
