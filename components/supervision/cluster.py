"""The tasks of a TensorFlow cluster, their addresses, and the TF_CONFIG of each task."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """The role of one process in a cluster."""

    type: str
    """`chief`, `worker` or `ps`, as in TF_CONFIG."""
    index: int
    """The position among the tasks of the same type, from 0."""

    @property
    def name(self) -> str:
        """The task's name in logs and messages: `worker 1`, or `chief`, of which there is one."""
        return self.type if self.type == "chief" else f"{self.type} {self.index}"


@dataclass(frozen=True)
class Cluster:
    """The addresses, HOST:PORT, of all processes by task type.

    A cluster without a chief has only workers, and worker 0 acts as the chief. In a cluster with
    parameter servers, only the chief runs the training code. Workers and parameter servers execute
    what the chief sends.
    """

    addresses: Mapping[str, Sequence[str]]

    @property
    def tasks(self) -> list[Task]:
        """All tasks, in the order of the task types in `addresses`: a chief comes first."""
        return [
            Task(type_, index)
            for type_, addresses in self.addresses.items()
            for index in range(len(addresses))
        ]

    @property
    def ports(self) -> list[int]:
        """The ports of all processes, in the order of `tasks`."""
        addresses = itertools.chain.from_iterable(self.addresses.values())
        return [int(address.rpartition(":")[2]) for address in addresses]

    def is_server(self, task: Task) -> bool:
        """Whether the task only executes what the chief sends, and therefore never ends."""
        return "ps" in self.addresses and task.type != "chief"

    def to_tf_config(self, task: Task) -> str:
        """Returns the value of TF_CONFIG for this task: JSON that TensorFlow reads."""
        cluster = {type_: list(addresses) for type_, addresses in self.addresses.items()}
        return json.dumps({"cluster": cluster, "task": {"type": task.type, "index": task.index}})

    @classmethod
    def from_tf_config(cls, tf_config: str) -> tuple[Cluster, Task]:
        """Returns the cluster and the task that a TF_CONFIG describes."""
        config = json.loads(tf_config)
        return cls(config["cluster"]), Task(**config["task"])


def make_local_cluster(counts: Mapping[str, int]) -> Cluster:
    """Returns a cluster on free ports of this machine; `counts` gives the tasks of each type."""
    ports = iter(_find_free_ports(sum(counts.values())))
    return Cluster(
        {
            type_: tuple(f"localhost:{next(ports)}" for _ in range(count))
            for type_, count in counts.items()
        }
    )


def _find_free_ports(count: int) -> Sequence[int]:
    """Returns distinct ports that are free now.

    Another process may take a port before the worker binds it. That attempt then fails, and the
    restart uses other ports.
    """
    with contextlib.ExitStack() as stack:
        # All sockets stay open until the last port is found, so that no port is returned twice.
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in sockets]
