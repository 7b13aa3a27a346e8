"""The Trainer's own pod, from which the workers' pods take image, pull secrets and user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from components.distributed_trainer.kubernetes.api import Object

_IDENTITY = (
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "seLinuxOptions",
    "supplementalGroups",
)
"""The fields of a securityContext that decide who owns a file. Pods that share a volume need the
same ones; the other fields are rights, of which the workers get their own."""
_DIGEST = re.compile(r"^(?:[a-z-]+://)?(?P<image>[^@]+@sha256:[0-9a-f]{64})$")


@dataclass(frozen=True)
class TrainerPod:
    """The fields of the Trainer's pod that the manifests of the workers need."""

    name: str
    uid: str
    image: str
    """With its digest, so that the workers run the Trainer's code even if the tag has moved."""
    pull_secrets: Sequence[Object] = ()
    pod_security: Object = field(default_factory=dict)
    """The user and groups in the pod's securityContext."""
    container_security: Object = field(default_factory=dict)
    """The user and groups in the container's securityContext."""

    @classmethod
    def from_json(cls, pod: Object) -> TrainerPod:
        """Reads a pod's JSON. In Kubeflow's pods the task's container is called `main`."""
        spec = pod["spec"]
        container = next((c for c in spec["containers"] if c["name"] == "main"), None)
        container = container or spec["containers"][0]
        return cls(
            pod["metadata"]["name"],
            pod["metadata"]["uid"],
            _find_image(container, pod.get("status", {}).get("containerStatuses", [])),
            spec.get("imagePullSecrets", ()),
            _find_identity(spec),
            _find_identity(container),
        )


def _find_identity(spec: Object) -> Object:
    security = spec.get("securityContext", {})
    return {key: security[key] for key in _IDENTITY if key in security}


def _find_image(container: Object, statuses: Sequence[Object]) -> str:
    """Returns the container's image with its digest.

    An image that was loaded into the node and never pushed has no digest in a registry. Its name is
    returned instead.
    """
    for status in statuses:
        if status["name"] == container["name"]:
            match = _DIGEST.match(status.get("imageID", ""))
            if match:
                return match["image"]
    return str(container["image"])
