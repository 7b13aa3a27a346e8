"""The names and paths that Kubernetes allows and that the image and Kubeflow leave free.

https://kubernetes.io/docs/concepts/overview/working-with-objects/names
"""

from __future__ import annotations

import posixpath
import re
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from pipeline.config.base import matching

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DNS_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN = rf"(?=[^/]{{1,253}}(/|\Z)){_DNS_PART}(\.{_DNS_PART})*"
_WORD = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"

_LOWER = "lower-case letters, digits and dashes, with a letter or digit at both ends"
_MIXED = "letters, digits, dashes, dots and underscores, with a letter or digit at both ends"

Label = Annotated[str, matching(_DNS_LABEL, f"at most 63 {_LOWER}")]
Subdomain = Annotated[
    str, matching(_DNS_SUBDOMAIN, f"at most 253 characters: {_LOWER} and next to every dot")
]
LabelKey = Annotated[
    str,
    matching(
        rf"({_DNS_SUBDOMAIN}/)?{_WORD}",
        f"at most 63 {_MIXED}, optionally after a domain and a slash",
    ),
]
_LABELS = re.compile(
    r"(pipelines\.kubeflow\.org|pipeline|workflows\.argoproj\.io|batch\.kubernetes\.io"
    r"|controller-uid|job-name|tfx-production-training|sidecar\.istio\.io)(/.*)?"
)
"""The labels and annotations by which Kubeflow, Argo, Kubernetes and the Trainer find a pod."""


def _check_label_is_free(key: str) -> str:
    if _LABELS.fullmatch(key):
        raise ValueError(f"Kubeflow, Kubernetes or the Trainer sets {key}; choose another key")
    return key


FreeLabelKey = Annotated[LabelKey, AfterValidator(_check_label_is_free)]
LabelValue = Annotated[str, matching(rf"({_WORD})?", f"at most 63 {_MIXED}, or empty")]
GpuType = Annotated[
    str,
    matching(
        rf"{_DNS_SUBDOMAIN}/{_WORD}|NVIDIA_[A-Z0-9_]+",
        "of the form vendor/kind, such as nvidia.com/gpu, or for Vertex AI such as NVIDIA_L4",
    ),
]
SecretEntry = Annotated[
    str,
    matching(
        r"(?!\.\.|\.\Z)[-._a-zA-Z0-9]{1,253}",
        "at most 253 letters, digits, dashes, dots and underscores, not beginning with `..`",
    ),
]

_VOLUMES = re.compile(
    r"kfp-launcher|(gcs|s3|minio|dot-(local|cache|config))-scratch|ca-bundle"
    r"|(var-run|tmp-dir)-argo|shared-memory"
)
"""The volumes that Kubeflow and Argo give to the pod of every task."""


def _check_volume_is_free(name: str) -> str:
    if _VOLUMES.fullmatch(name):
        raise ValueError(f"{name} is the name of a volume that Kubeflow adds to every pod")
    return name


VolumeName = Annotated[
    str,
    matching(_DNS_LABEL, f"at most 63 {_LOWER}, because Kubeflow names the pod's volume so"),
    AfterValidator(_check_volume_is_free),
]
"""The name of a PersistentVolumeClaim, a Secret or a ConfigMap that a pod mounts."""

_SET_ELSEWHERE = re.compile(
    r"PATH|PYTHONHOME|TF_CONFIG|TF_USE_LEGACY_KERAS|JOB_COMPLETION_INDEX"
    r"|(ARGO|KFP|KUBERNETES|METADATA_GRPC|ML_PIPELINE|PIPELINE)_.*"
)


def _check_variable_is_free(variable: str) -> str:
    if _SET_ELSEWHERE.fullmatch(variable):
        raise ValueError(f"the image, Kubernetes or Kubeflow sets {variable}; choose another name")
    return variable


Variable = Annotated[
    str,
    matching(
        r"[A-Za-z_][A-Za-z0-9_]*", "letters, digits and underscores, not beginning with a digit"
    ),
    AfterValidator(_check_variable_is_free),
]

_TAKEN = tuple(
    map(
        PurePosixPath,
        (
            "/.cache", "/.config", "/.local", "/argo", "/bin", "/dev", "/etc/pipeline-job", "/gcs",
            "/kfp-launcher", "/kfp-workspace", "/lib", "/lib64", "/minio", "/oci", "/opt/venv",
            "/proc", "/run/argo", "/run/secrets/kubernetes.io", "/s3", "/sbin", "/sys", "/tmp/kfp",
            "/tmp/kfp_outputs", "/usr", "/var/run/argo", "/var/run/secrets/kubernetes.io",
            "/workspace/configs", "/workspace/data",
        ),
    )
)  # fmt: skip
"""Directories of the image, Kubernetes and Kubeflow: no mount may hide a part of one."""


def _check_mount_path(path: str) -> str:
    simple = path.rstrip("/")
    if not path.startswith("/") or ":" in path or not path.isprintable():
        raise ValueError(
            f"must be a path that begins with a slash and has no colon, such as /mnt/data, "
            f"not {path!r}"
        )
    if not simple or simple.startswith("//") or posixpath.normpath(simple) != simple:
        raise ValueError(
            f"must be a directory below /, without `//`, `.` and `..`, such as /mnt/data, "
            f"not {path!r}"
        )
    for taken in _TAKEN:
        if _nested(PurePosixPath(simple), taken):
            raise ValueError(
                f"the image, Kubernetes or Kubeflow uses {taken}; {simple} cannot be a mount; "
                "choose another directory, such as /mnt/data"
            )
    return simple


MountPath = Annotated[str, AfterValidator(_check_mount_path)]

_BUCKET = re.compile(r"/gcs/[a-z0-9][a-z0-9._-]{1,220}[a-z0-9](/[\w.=-]+)*/?")


def _check_storage_path(path: str) -> str:
    is_bucket = _BUCKET.fullmatch(path) and posixpath.normpath(path) == path.rstrip("/")
    return path.rstrip("/") if is_bucket else _check_mount_path(path)


_STAGED_BUCKET = re.compile(r"/(gcs|minio|s3)/[^/:]+(/[^/:]+)*/?")


def _check_volume_path(path: str) -> str:
    is_staged = _STAGED_BUCKET.fullmatch(path) and posixpath.normpath(path) == path.rstrip("/")
    return path.rstrip("/") if is_staged and path.isprintable() else _check_mount_path(path)


VolumePath = Annotated[str, AfterValidator(_check_volume_path)]
"""A mount path, or the directory where Kubeflow's launcher stages the artifacts of a bucket: with a
volume there, the workers of an engine can see the artifacts."""

StoragePath = Annotated[str, AfterValidator(_check_storage_path)]
"""A mount path, or the directory where Vertex AI mounts a bucket."""


def overlap(one: str, other: str) -> bool:
    """Returns whether one path is the other, or lies below the other."""
    return _nested(PurePosixPath(one), PurePosixPath(other))


def _nested(one: PurePosixPath, other: PurePosixPath) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
