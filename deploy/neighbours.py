"""Finds an engine on this machine that another clone of the project has started.

Ports and names of network namespaces are the same for all clones: two engines would answer for each
other, and one would take the other's network away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

import psutil

from pipeline.core.errors import ConfigError


def refuse_neighbours(
    program: str,
    end_command: str,
    ports: Collection[int],
    residents: Iterable[tuple[str, int]] = (),
) -> None:
    """Raises ConfigError if a process has what the program needs.

    The processes of the program that this clone has started must have ended.

    Args:
      program: its name in the message.
      end_command: ends the program in the directory of a clone.
      residents: processes that live in the program's namespaces, each with the namespace's name.
    """
    namespaces = ((f"the network namespace {name}", process) for name, process in residents)
    for what, process in (*_find_listeners(ports), *namespaces):
        where = _find_directory(process) or "ITS DIRECTORY"
        raise ConfigError(
            f"{what}, which {program} needs, is taken by {_describe(process)}",
            f"if it belongs to another clone, end it there: cd {where} && {end_command}",
        )


def _find_listeners(ports: Collection[int]) -> Iterator[tuple[str, int | None]]:
    """Yields what listens at the ports; the process is None if it belongs to another user."""
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port in ports:
            yield f"port {connection.laddr.port}", connection.pid


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
