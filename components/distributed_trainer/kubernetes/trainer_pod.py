"""The Trainer's own pod, and what the workers take over from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from components.distributed_trainer.kubernetes.api import Object

_DIGEST = re.compile(r"^(?:[a-z-]+://)?(?P<image>[^@]+@sha256:[0-9a-f]{64})$")


@dataclass(frozen=True)
class Home:
    """The Trainer's own pod, and what the workers take over from it."""

    name: str
    uid: str
    image: str
    pull_secrets: Sequence[Object] = ()
    pod_security: Object = field(default_factory=dict)
    """With it the user and the group of files, which all who share a volume need alike."""
    container_security: Object = field(default_factory=dict)

    @classmethod
    def of_pod(cls, pod: Object) -> Home:
        """What the pod's own JSON says; in pods of Kubeflow the task's container is `main`."""
        spec = pod["spec"]
        container = next((c for c in spec["containers"] if c["name"] == "main"), None)
        container = container or spec["containers"][0]
        return cls(
            pod["metadata"]["name"],
            pod["metadata"]["uid"],
            _pinned(container, pod.get("status", {}).get("containerStatuses", [])),
            spec.get("imagePullSecrets", ()),
            spec.get("securityContext", {}),
            container.get("securityContext", {}),
        )


def _pinned(container: Object, statuses: Sequence[Object]) -> str:
    """The image by its digest; one that no registry has is known by its name only."""
    for status in statuses:
        found = _DIGEST.match(status.get("imageID", "")) if _same(status, container) else None
        if found:
            return found["image"]
    return str(container["image"])


def _same(status: Object, container: Object) -> bool:
    return bool(status["name"] == container["name"])
