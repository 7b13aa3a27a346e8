"""What a pod of Kubernetes gets: resources, a node, volumes, secrets."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from pipeline.config.base import Section

_Cpu = Annotated[str, Field(pattern=r"^(\d+m|\d+(\.\d+)?)$")]
_Bytes = Annotated[str, Field(pattern=r"^\d+(\.\d+)?([KMGT]i|[kMGT])?$")]
_Name = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$")]
_Path = Annotated[str, Field(pattern=r"^/[^:]+$")]
_SECRET_NAME = re.compile(r"SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|(API|ACCESS|PRIVATE)_?KEY")


class ResourcesConfig(Section):
    """What a pod is promised, and bound to."""

    cpu: _Cpu | None = None
    """The cores, such as `4` or `500m`."""
    memory: _Bytes | None = None
    """The memory, such as `16Gi`; a pod that takes more is killed."""
    gpu: int = Field(default=0, ge=0)
    """The GPUs."""
    gpu_type: str = Field(default="nvidia.com/gpu", pattern=r"^[a-z0-9.-]+/[a-zA-Z0-9._-]+$")
    """What the cluster calls its GPUs."""


class TolerationConfig(Section):
    """A taint of nodes that does not keep a pod away."""

    key: str | None = None
    """The taint's key; all taints if left out."""
    value: str | None = None
    """The taint's value; any if left out."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """The taint's effect; any if left out."""


class VolumeConfig(Section):
    """A volume that a pod sees as a directory."""

    claim: _Name
    """The PersistentVolumeClaim."""
    path: _Path
    """The directory."""
    read_only: bool = False
    """Whether nothing can be written there."""


class WorkersConfig(Section):
    """The pods of a training on many workers, all alike."""

    resources: ResourcesConfig = ResourcesConfig()
    """What each is promised, and bound to."""
    node_selector: dict[str, str] = {}
    """The labels that a node has to have."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """The taints of nodes that do not keep them away."""
    volumes: tuple[VolumeConfig, ...] = ()
    """The volumes; what the Trainer reads and writes they need at the same path."""
    env: dict[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str] = {}
    """Environment variables; no secrets, which are kept elsewhere."""
    secrets: tuple[_Name, ...] = ()
    """Kubernetes Secrets, whose entries become environment variables."""
    image: str | None = Field(default=None, min_length=1)
    """The image; left out, that of the Trainer's own pod, by its digest."""
    service_account: _Name | None = None
    """Whom the pods belong to, for clouds that give access by it; they get no token of it."""
    shared_memory: _Bytes | None = None
    """The size of /dev/shm, which counts as memory; the container runtime's 64 MB if left out."""
    pending_seconds: float = Field(default=600.0, gt=0)
    """The seconds in which all pods have to start, or the run fails with what holds them up."""
    abandoned_seconds: int = Field(default=600, ge=5)
    """The seconds after which they are ended when the Trainer is gone without a word."""

    @field_validator("env")
    @classmethod
    def _no_secrets(cls, env: dict[str, str]) -> dict[str, str]:
        for name in env:
            if _SECRET_NAME.search(name.upper()):
                raise ValueError(
                    f"{name} looks like a secret; name a Secret of Kubernetes that has it"
                )
        return env
