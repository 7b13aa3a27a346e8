"""What a pod of Kubernetes gets: resources, a node, volumes, secrets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section, matching
from pipeline.config.kubernetes.names import (
    LabelKey,
    LabelValue,
    MountPath,
    ResourceName,
    SecretEntry,
    Subdomain,
    Variable,
    VolumeName,
)

_Cpu = Annotated[
    str, matching(r"\d+m|\d+(\.\d+)?", "cores, such as 4, or thousandths of one, such as 500m")
]
_Bytes = Annotated[
    str, matching(r"\d+(\.\d+)?([KMGT]i|[kMGT])?", "a number of bytes, such as 16Gi or 500M")
]
_IMAGE = (
    r"[a-zA-Z0-9]([\w.-]*[a-zA-Z0-9])?(:\d+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
    r"(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
Image = Annotated[str, matching(_IMAGE, "an image, such as host/name:tag")]

_FACTORS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_FACTORS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def cores(cpu: str | None) -> float | None:
    """The number that `4` or `500m` stands for."""
    if cpu is None:
        return None
    return int(cpu[:-1]) / 1000 if cpu.endswith("m") else float(cpu)


def gigabytes(memory: str | None) -> float | None:
    """The number of thousand millions of bytes that `16Gi` stands for."""
    if memory is None:
        return None
    unit = memory.lstrip("0123456789.")
    return float(memory.removesuffix(unit)) * _FACTORS.get(unit, 1) / 10**9


class ResourcesConfig(Section):
    """What a pod is promised, and bound to."""

    cpu: _Cpu | None = None
    """The cores, such as `4` or `500m`."""
    memory: _Bytes | None = None
    """The memory, such as `16Gi`; a pod that takes more is killed."""
    gpu: int = Field(default=0, ge=0)
    """The GPUs."""
    gpu_type: ResourceName = "nvidia.com/gpu"
    """What the cluster calls its GPUs."""


class TolerationConfig(Section):
    """A taint of nodes that does not keep a pod away."""

    key: LabelKey | None = None
    """The taint's key; all taints if left out."""
    value: LabelValue | None = None
    """The taint's value; any if left out."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """The taint's effect; any if left out."""

    @model_validator(mode="after")
    def _is_of_a_key(self) -> TolerationConfig:
        if self.value is not None and self.key is None:
            raise ValueError("a value needs the key of the taint that has it")
        return self


class VolumeConfig(Section):
    """A volume that a pod sees as a directory."""

    claim: VolumeName
    """The PersistentVolumeClaim."""
    path: MountPath
    """The directory."""
    read_only: bool = False
    """Whether nothing can be written there."""


class PodConfig(Section):
    """What every pod may need, whoever starts it."""

    resources: ResourcesConfig = ResourcesConfig()
    """What each is promised, and bound to."""
    node_selector: dict[LabelKey, LabelValue] = {}
    """The labels that a node has to have."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """The taints of nodes that do not keep them away."""
    volumes: tuple[VolumeConfig, ...] = ()
    """The volumes; what the Trainer reads and writes its workers need at the same path."""
    env: dict[Variable, str] = {}
    """Environment variables; no secrets, which are kept elsewhere."""
    secret_files: dict[VolumeName, MountPath] = {}
    """Kubernetes Secrets, each with the directory where its entries are files."""
    shared_memory: _Bytes | None = None
    """The size of /dev/shm, which counts as memory; the container runtime's 64 MB if left out."""


class WorkersConfig(PodConfig):
    """The pods of a training on many workers, all alike."""

    secrets: tuple[Subdomain, ...] = ()
    """Kubernetes Secrets, whose entries become environment variables."""
    image: Image | None = None
    """The image; left out, that of the Trainer's own pod, by its digest."""
    service_account: Subdomain | None = None
    """Whom the pods belong to, for clouds that give access by it; they get no token of it."""
    pending_seconds: float = Field(default=600.0, gt=0)
    """The seconds in which all pods have to start, or the run fails with what holds them up."""
    abandoned_seconds: int = Field(default=600, ge=5)
    """The seconds after which they are ended when the Trainer is gone without a word."""


class RequestsConfig(Section):
    """What a pod is promised where that is less than what it is bound to."""

    cpu: _Cpu | None = None
    """The cores; those of `resources` if left out."""
    memory: _Bytes | None = None
    """The memory; that of `resources` if left out."""


def literal(text: str) -> str:
    """For a container's arguments and variables: there, Kubernetes replaces `$(NAME)` and `$$`."""
    return text.replace("$", "$$")


class RetriesConfig(Section):
    """How often a failed task is started anew, and after which pauses."""

    count: int = Field(default=0, ge=0)
    """How often; the verdicts of gate and Evaluator are failures too."""
    backoff_seconds: int = Field(default=10, ge=0)
    """The pause before the first retry."""
    factor: int = Field(default=2, ge=1)
    """How many times each pause is longer than the one before; Argo takes whole numbers."""
    max_seconds: int = Field(default=86_400, ge=1)
    """The seconds since it was first started after which it is given up, at work or not: Argo's \
limit of all its attempts together."""

    @model_validator(mode="after")
    def _a_retry_is_possible(self) -> RetriesConfig:
        if self.count and self.max_seconds <= self.backoff_seconds:
            raise ValueError(
                "max_seconds are over before backoff_seconds have passed: nothing would be retried"
            )
        return self


class TaskConfig(PodConfig):
    """The pod of a component's task."""

    requests: RequestsConfig = RequestsConfig()
    """What it is promised, where that is less than what it is bound to."""
    secrets: dict[Subdomain, dict[SecretEntry, Variable]] = {}
    """Kubernetes Secrets, each with its entries and the environment variables they become."""
    retries: RetriesConfig = RetriesConfig()
    """How often it is started anew when it failed."""
    timeout_seconds: int | None = Field(default=None, ge=1)
    """The seconds after which it is ended, and counts as failed."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When the image is fetched; Kubernetes decides by the image's name if left out."""

    @field_validator("volumes")
    @classmethod
    def _are_writable(cls, volumes: tuple[VolumeConfig, ...]) -> tuple[VolumeConfig, ...]:
        for volume in volumes:
            if volume.read_only:
                raise ValueError(f"{volume.path}: Kubeflow cannot mount a claim as read_only")
        return volumes
