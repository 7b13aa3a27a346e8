"""The Trainer's own pod, from which the workers' pods take image, pull secrets and user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from components.distributed_trainer.kubernetes.api import Object

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
    """The pod's securityContext. It sets the user and group of files, which must be the same in all
    pods that share a volume."""
    container_security: Object = field(default_factory=dict)
    """The container's securityContext."""

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
            spec.get("securityContext", {}),
            container.get("securityContext", {}),
        )


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
