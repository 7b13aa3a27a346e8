"""The workers of one attempt and the TF_CONFIG that tells each of them who they are."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cluster:
    """The addresses of all workers, HOST:PORT; the first is the chief."""

    workers: tuple[str, ...]

    def tf_config(self, index: int) -> str:
        """What TensorFlow reads from the environment of worker `index`."""
        return json.dumps(
            {
                "cluster": {"worker": list(self.workers)},
                "task": {"type": "worker", "index": index},
            }
        )


def local_cluster(size: int) -> Cluster:
    """A cluster on free ports of this machine."""
    return Cluster(tuple(f"localhost:{port}" for port in _free_ports(size)))


def _free_ports(count: int) -> Sequence[int]:
    """Ports that were free a moment ago; should one be taken meanwhile, a restart finds others."""
    with contextlib.ExitStack() as stack:
        # All are held until the last is found: none is given twice.
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in sockets]
