"""Which nodes a pod may run on: taints, labels of nodes, and other pods on them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pipeline.config.base import Section
from pipeline.config.kubernetes.names import LabelKey, LabelValue

_WITHOUT_VALUES = ("Exists", "DoesNotExist")
_HOSTNAME = "kubernetes.io/hostname"


class TolerationConfig(Section):
    """A taint of nodes that a pod tolerates."""

    key: LabelKey | None = None
    """The key of the taint (default: all taints)."""
    value: LabelValue | None = None
    """The value of the taint (default: any value)."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """The effect of the taint (default: any effect)."""

    @model_validator(mode="after")
    def _check_value_has_key(self) -> TolerationConfig:
        if self.value is not None and self.key is None:
            raise ValueError("a value needs a key")
        return self


class RequirementConfig(Section):
    """What a label of a node must be."""

    key: LabelKey
    """The key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"] = "In"
    """How the label's value relates to `values`."""
    values: tuple[LabelValue, ...] = ()
    """The values to compare with; one whole number for Gt and Lt, none for Exists and \
DoesNotExist."""

    @model_validator(mode="after")
    def _check_values_fit(self) -> RequirementConfig:
        if self.operator in _WITHOUT_VALUES and self.values:
            raise ValueError(f"{self.operator} takes no values")
        if self.operator in ("In", "NotIn") and not self.values:
            raise ValueError(f"{self.operator} needs values")
        if self.operator in ("Gt", "Lt") and not (
            len(self.values) == 1 and self.values[0].isdigit()
        ):
            raise ValueError(f"{self.operator} needs one value, a whole number")
        return self


class NodeAffinityConfig(Section):
    """Labels by which nodes are chosen; a node matches if it meets all of `match`."""

    match: tuple[RequirementConfig, ...] = Field(min_length=1)
    """The requirements."""
    weight: int | None = Field(default=None, ge=1, le=100)
    """How much nodes that match are preferred (default: only nodes that match are allowed). Of \
several entries without a weight, one must match."""


class PodAffinityConfig(Section):
    """Pods near which a pod shall run, or from which it shall stay away."""

    labels: dict[LabelKey, LabelValue] = Field(min_length=1)
    """The labels of the other pods."""
    topology_key: LabelKey = _HOSTNAME
    """The label of nodes that says what is near: the same node, or, with \
`topology.kubernetes.io/zone`, the same zone."""
    anti: bool = False
    """Whether the pod shall stay away from the other pods."""
    weight: int | None = Field(default=None, ge=1, le=100)
    """How much such nodes are preferred (default: no other nodes are allowed)."""
