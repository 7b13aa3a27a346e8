"""The section `model.blend`: the parts of a blend of networks and boosted trees."""

from __future__ import annotations

from pydantic import Field, field_validator

from pipeline.config.base import Section
from pipeline.config.sections.families.names import NETWORKS, check_family


class BlendConfig(Section):
    """The weighted mean of networks and boosted trees, for `model.family: blend`."""

    network: str = "wide_deep"
    """The family of the networks: a value of `model.family` other than `trees` and `blend`."""
    fits: int = Field(default=1, ge=1, le=20)
    """The number of networks, and of trainings of trees; each has a seed of its own."""
    seconds: float | None = Field(default=None, gt=0)
    """The seconds of all fits, counted as for `training.seconds`, after which no further fit \
begins (default: no limit); the first network and the first trees are always trained. It ends no \
fit that has begun: `training.seconds` does. The model then depends on the speed of the machine."""
    skip_failed: bool = False
    """Whether the other parts make up the model if the training of a part fails: if it diverges, \
runs out of memory, or LightGBM refuses it."""

    @field_validator("network")
    @classmethod
    def _check_network(cls, network: str) -> str:
        return check_family(network, NETWORKS)
