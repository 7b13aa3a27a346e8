"""The settings of a pod: resources, nodes, volumes, environment variables and secrets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section, matching
from pipeline.config.kubernetes.names import (
    FreeLabelKey,
    GpuType,
    LabelKey,
    LabelValue,
    MountPath,
    SecretEntry,
    Subdomain,
    Variable,
    VolumeName,
    VolumePath,
)
from pipeline.config.kubernetes.scheduling import (
    NodeAffinityConfig,
    PodAffinityConfig,
    TolerationConfig,
)

_Cpu = Annotated[
    str, matching(r"\d+m|\d+(\.\d+)?", "cores, such as 4, or thousandths of a core, such as 500m")
]
_Bytes = Annotated[
    str, matching(r"\d+(\.\d+)?([KMGT]i|[kMGT])?", "a number of bytes, such as 16Gi or 500M")
]
_IMAGE = (
    r"[a-zA-Z0-9]([\w.-]*[a-zA-Z0-9])?(:\d+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
    r"(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
Image = Annotated[str, matching(_IMAGE, "an image, such as host/name:tag")]

RENEWALS = 10
"""How often the Trainer gives a sign within `abandoned_seconds`."""

_FACTORS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_FACTORS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def cores(cpu: str | None) -> float | None:
    """Returns the number of cores in text such as `4` or `500m`."""
    if cpu is None:
        return None
    return int(cpu[:-1]) / 1000 if cpu.endswith("m") else float(cpu)


def gigabytes(memory: str | None) -> float | None:
    """Returns the number of gigabytes (10^9 bytes) in text such as `16Gi`."""
    if memory is None:
        return None
    unit = memory.lstrip("0123456789.")
    return float(memory.removesuffix(unit)) * _FACTORS.get(unit, 1) / 10**9


class ResourcesConfig(Section):
    """The resource limits of a pod, and its requests if `requests` does not set them."""

    cpu: _Cpu | None = None
    """The number of cores, such as `4` or `500m`."""
    memory: _Bytes | None = None
    """The memory, such as `16Gi`; Kubernetes kills a pod that uses more."""
    gpu: int = Field(default=0, ge=0)
    """The number of GPUs."""
    gpu_type: GpuType = "nvidia.com/gpu"
    """The resource name of the cluster's GPUs, or Vertex AI's name of the GPU."""


class VolumeConfig(Section):
    """A volume that a pod mounts."""

    claim: VolumeName
    """The PersistentVolumeClaim."""
    path: VolumePath
    """The directory to mount the volume at."""
    read_only: bool = False
    """Whether the pod can only read the volume."""


class ScratchConfig(Section):
    """An empty volume that lives as long as the pod."""

    path: MountPath
    """The directory to mount the volume at."""
    size: _Bytes
    """The size, such as `200Gi`."""
    storage_class: Subdomain | None = None
    """The class of a volume of its own, which the cluster makes for the pod (default: a directory \
on the node's disk; Kubernetes evicts a pod that writes more than `size`)."""


class PodConfig(Section):
    """The settings that tasks and training workers share."""

    resources: ResourcesConfig = ResourcesConfig()
    """The resource limits and requests."""
    node_selector: dict[LabelKey, LabelValue] = {}
    """The labels that a node must have."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """The taints of nodes that the pod tolerates."""
    node_affinity: tuple[NodeAffinityConfig, ...] = ()
    """The nodes that the pod needs or prefers, where `node_selector` is too little."""
    scratch: tuple[ScratchConfig, ...] = ()
    """Empty volumes that live as long as the pod."""
    volumes: tuple[VolumeConfig, ...] = ()
    """The volumes; training workers need those of the Trainer at the same paths."""
    env: dict[Variable, str] = {}
    """Environment variables; secrets go into `secrets` or `secret_files`."""
    secret_files: dict[VolumeName, MountPath] = {}
    """Kubernetes Secrets, each with the directory to mount its entries at as files."""
    config_map_files: dict[VolumeName, MountPath] = {}
    """ConfigMaps, each with the directory to mount its entries at as files."""
    labels: dict[FreeLabelKey, LabelValue] = {}
    """Labels of the pod, such as the team or the cost centre. The Job of the training workers has \
theirs too: `kueue.x-k8s.io/queue-name` lets Kueue start all workers at once or none."""
    annotations: dict[FreeLabelKey, str] = {}
    """Annotations of the pod, such as `cluster-autoscaler.kubernetes.io/safe-to-evict`."""
    shared_memory: _Bytes | None = None
    """The size of /dev/shm, which counts as memory (default: 64 MB of the container runtime)."""


class WorkersConfig(PodConfig):
    """The pods of the training workers, all with the same settings."""

    secrets: tuple[Subdomain, ...] = ()
    """Kubernetes Secrets whose entries become environment variables."""
    pod_affinity: tuple[PodAffinityConfig, ...] = ()
    """The pods near which a worker shall run, or from which it shall stay away."""
    image: Image | None = None
    """The container image (default: the image of the Trainer's pod, by digest)."""
    service_account: Subdomain | None = None
    """The Kubernetes service account of the pods, for clouds that grant access by it; the pods \
get no token of Kubernetes."""
    pending_seconds: float = Field(default=600.0, gt=0)
    """The seconds within which all pods must start; else the run fails and names the cause."""
    abandoned_seconds: int = Field(default=600, ge=5)
    """The seconds without a sign of the Trainer after which Kubernetes ends the workers. Workers \
that see the Trainer's lock on the shared volume end half a minute after a killed Trainer."""
    api_patience_seconds: float | None = Field(default=None, gt=0)
    """The seconds for which a training goes on while the Kubernetes API does not answer, such as \
during its upgrade; at most four fifths of `abandoned_seconds` (default: just as many)."""

    @property
    def patience_seconds(self) -> float:
        """For how long the Trainer repeats a request to the Kubernetes API."""
        return self.api_patience_seconds or _longest_patience(self.abandoned_seconds)

    @model_validator(mode="after")
    def _check_patience_ends_before_the_workers(self) -> WorkersConfig:
        longest = _longest_patience(self.abandoned_seconds)
        if self.patience_seconds > longest:
            raise ValueError(
                f"api_patience_seconds must be at most {longest:g}, four fifths of "
                f"abandoned_seconds: later, Kubernetes would end healthy workers"
            )
        return self


def _longest_patience(abandoned_seconds: int) -> float:
    """Returns the seconds after which a request must end.

    The API may go away just before a renewal. The seconds of a second renewal are the margin.
    """
    return abandoned_seconds * (1 - 2 / RENEWALS)


class RequestsConfig(Section):
    """The resource requests of a pod, where they are lower than its limits."""

    cpu: _Cpu | None = None
    """The number of cores (default: `resources.cpu`)."""
    memory: _Bytes | None = None
    """The memory (default: `resources.memory`)."""


def escape_dollars(text: str) -> str:
    """Returns `text` so that Kubernetes, which expands `$(NAME)` and `$$`, passes it on \
unchanged."""
    return text.replace("$", "$$")


class RetriesConfig(Section):
    """How often Argo restarts a failed task, and after which pauses."""

    count: int = Field(default=0, ge=0)
    """The most retries. `AnomalyGate` and `Pusher` fail by verdicts, which a retry would repeat: \
they take only `kubeflow.components.NAME.retries`."""
    backoff_seconds: int = Field(default=10, ge=0)
    """The seconds before the first retry."""
    factor: int = Field(default=2, ge=1)
    """The factor by which each pause is longer than the last; Argo takes whole numbers only."""
    max_seconds: int = Field(default=86_400, ge=1)
    """The most seconds of all attempts together; Argo then ends the task, even while it works."""

    @model_validator(mode="after")
    def _check_a_retry_is_possible(self) -> RetriesConfig:
        if self.count and self.max_seconds <= self.backoff_seconds:
            raise ValueError(
                "max_seconds must be more than backoff_seconds, else no retry would start"
            )
        return self


class SecurityConfig(Section):
    """The user that the container of a task runs as. Kubeflow can set neither `fsGroup` nor \
capabilities, which it drops itself."""

    run_as_user: int | None = Field(default=None, ge=0)
    """The user id (default: the image's)."""
    run_as_group: int | None = Field(default=None, ge=0)
    """The group id (default: the image's)."""
    run_as_non_root: bool | None = None
    """Whether Kubernetes refuses to start the container as root (default: it does not)."""

    @model_validator(mode="after")
    def _check_user_is_not_root(self) -> SecurityConfig:
        if self.run_as_non_root and self.run_as_user == 0:
            raise ValueError("run_as_user 0 is root, which run_as_non_root refuses")
        return self


class TaskConfig(PodConfig):
    """The pod of a component's task."""

    requests: RequestsConfig = RequestsConfig()
    """The resource requests, where they are lower than `resources`."""
    secrets: dict[Subdomain, dict[SecretEntry, Variable]] = {}
    """Kubernetes Secrets, each with its entries and the environment variables that hold them."""
    retries: RetriesConfig = RetriesConfig()
    """How often Argo restarts the task after a failure."""
    timeout_seconds: int | None = Field(default=None, ge=1)
    """The seconds after which Kubeflow ends the task as failed."""
    image_pull_secrets: tuple[Subdomain, ...] = ()
    """Kubernetes Secrets with the passwords of private registries; the training workers use those \
of the Trainer."""
    security_context: SecurityConfig = SecurityConfig()
    """The user that the task runs as; training workers take the Trainer's."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When Kubernetes pulls the image (default: decided by the image's tag)."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_pod_affinity(cls, given: Any) -> Any:
        """Kubeflow's file has a field for it, but no driver up to 2.17 reads the field."""
        if isinstance(given, dict) and "pod_affinity" in given:
            raise ValueError(
                "pod_affinity: Kubeflow ignores it for tasks, only training workers have it; "
                "node_affinity chooses nodes by their labels"
            )
        return given

    @field_validator("volumes")
    @classmethod
    def _refuse_read_only(cls, volumes: tuple[VolumeConfig, ...]) -> tuple[VolumeConfig, ...]:
        for volume in volumes:
            if volume.read_only:
                raise ValueError(f"{volume.path}: Kubeflow cannot mount a claim as read_only")
        return volumes
