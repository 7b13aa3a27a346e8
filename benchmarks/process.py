"""Runs a command and tells what it took, all processes it starts included."""

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

ROOT = Path(__file__).parents[1]
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Finished:
    """What a command took."""

    seconds: float
    cpu_seconds: float
    peak_rss: int
    """The most bytes resident at once, added up over the processes; sampled."""
    awaited: float | None
    """The seconds from the start until what was waited for was there."""


class CommandError(Exception):
    """A command that should have succeeded did not."""


def run_command(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    awaited: Callable[[], bool] | None = None,
    expected: Collection[int] = (0,),
) -> Finished:
    """Runs the command in the project's root, its output going to `log`.

    Raises:
      CommandError: it returned another code than those expected.
    """
    before, peak, seen = _children_cpu(), 0, None
    with open(log, "wb") as file:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
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


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
