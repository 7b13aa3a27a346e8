"""Finds another cluster on this machine, such as one that another clone of the project has started.

Ports and names of network namespaces are the same for all clones: two clusters would answer for
each other, and one would take the other's network away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

import psutil

from deploy.flink.local.networks import Network
from pipeline.core.errors import ConfigError


def refuse_neighbours(network: Network, ports: Collection[int]) -> None:
    """Raises ConfigError if a process has a port or a namespace that the cluster needs.

    The processes of this clone's own cluster must have ended.
    """
    for what, process in (*_find_listeners(ports), *_find_residents(network)):
        where = _find_directory(process)
        raise ConfigError(
            f"{what}, which the Flink cluster needs, is taken by {_describe(process)}",
            f"if it is a cluster of another clone, end it there: cd {where} && make flink-down"
            if where
            else "end that process; if it is a cluster of another clone: make flink-down, there",
        )


def _find_listeners(ports: Collection[int]) -> Iterator[tuple[str, int | None]]:
    """Yields what listens at the ports; the process is None if it belongs to another user."""
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port in ports:
            yield f"port {connection.laddr.port}", connection.pid


def _find_residents(network: Network) -> Iterator[tuple[str, int]]:
    for namespace, process in network.find_residents():
        yield f"the network namespace {namespace}", process


def _describe(process: int | None) -> str:
    if process is None:
        return "a process of another user"
    with suppress(psutil.Error):
        return f"process {process} ({psutil.Process(process).name()})"
    return f"process {process}"


def _find_directory(process: int | None) -> str:
    """Returns the process's working directory: that of its clone; "" if nobody may know it."""
    with suppress(psutil.Error):
        return str(psutil.Process(process).cwd()) if process else ""
    return ""
