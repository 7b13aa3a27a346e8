"""The processes of one attempt and the TF_CONFIG that tells each of them who they are."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """What one process is in a cluster."""

    type: str
    """`chief`, `worker` or `ps`, as in TF_CONFIG."""
    index: int

    @property
    def name(self) -> str:
        """What the logs call it; there is one chief."""
        return self.type if self.type == "chief" else f"{self.type} {self.index}"


@dataclass(frozen=True)
class Cluster:
    """The addresses, HOST:PORT, of all processes by the type of their tasks.

    Without a chief, the first worker takes its part. With parameter servers, the chief alone runs
    the training code, and workers and servers do what it tells them.
    """

    addresses: Mapping[str, Sequence[str]]

    @property
    def tasks(self) -> list[Task]:
        """All of them, the chief first."""
        return [
            Task(type_, index)
            for type_, addresses in self.addresses.items()
            for index in range(len(addresses))
        ]

    def serves(self, task: Task) -> bool:
        """Whether it never ends by itself."""
        return "ps" in self.addresses and task.type != "chief"

    def tf_config(self, task: Task) -> str:
        """What TensorFlow reads from the environment of the process."""
        cluster = {type_: list(addresses) for type_, addresses in self.addresses.items()}
        return json.dumps({"cluster": cluster, "task": {"type": task.type, "index": task.index}})

    @classmethod
    def of_process(cls, tf_config: str) -> tuple[Cluster, Task]:
        """The cluster of a process and its part in it, from its TF_CONFIG."""
        config = json.loads(tf_config)
        return cls(config["cluster"]), Task(**config["task"])


def local_cluster(counts: Mapping[str, int]) -> Cluster:
    """A cluster of so many tasks of each type, on free ports of this machine."""
    ports = iter(_free_ports(sum(counts.values())))
    return Cluster(
        {
            type_: tuple(f"localhost:{next(ports)}" for _ in range(count))
            for type_, count in counts.items()
        }
    )


def _free_ports(count: int) -> Sequence[int]:
    """Ports that were free a moment ago; should one be taken meanwhile, a restart finds others."""
    with contextlib.ExitStack() as stack:
        # All are held until the last is found: none is given twice.
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in sockets]
