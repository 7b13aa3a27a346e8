"""Runs a command and measures its time and memory, with all processes that it starts."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
_POLL_SECONDS = 0.05
"""The pause between two samples of the memory; a shorter peak may be missed."""


@dataclass(frozen=True)
class Finished:
    """The time and memory of a finished command."""

    seconds: float
    """Wall time."""
    cpu_seconds: float
    peak_rss: int
    """The most resident bytes at one sample, summed over the processes."""
    awaited: float | None
    """The seconds from the start until the awaited event; None if it was not seen."""


class CommandError(Exception):
    """A command ended with an unexpected exit code."""


def run_command(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    awaited: Callable[[], bool] | None = None,
    expected: Collection[int] = (0,),
    directory: Path = ROOT,
) -> Finished:
    """Runs the command in `directory`, the project's root, and writes its output to `log`.

    Calls `awaited` repeatedly until it returns True, and measures the time until then.

    Raises:
      CommandError: the exit code is not in `expected`.
    """
    before, peak, seen = _children_cpu(), 0, None
    with open(log, "wb") as file:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=directory,
            env={**_own_environment(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        try:
            while process.poll() is None:
                peak = max(peak, _resident(process.pid))
                if seen is None and awaited is not None and awaited():
                    seen = time.monotonic() - started
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
        finally:
            process.terminate()
            process.wait()
    seconds = time.monotonic() - started
    if process.returncode not in expected:
        tail = log.read_text(encoding="utf-8", errors="replace")[-3000:]
        raise CommandError(f"{' '.join(command)}: exit code {process.returncode}\n{tail}")
    return Finished(seconds, _children_cpu() - before, peak, seen)


def _resident(pid: int) -> int:
    total = 0
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def _own_environment() -> dict[str, str]:
    """Returns the variables of this process, but lets commands keep compiled modules.

    Containers often forbid that. Each process would then compile the project again, and the modules
    of a commit that has more of them would cost more.
    """
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
