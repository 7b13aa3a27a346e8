"""Kills a process at each of its steps on the disk."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

# A forked child has the modules of this process; importing them takes a second.
_PROCESSES = multiprocessing.get_context("fork")
_STEPS = ("rename", "replace", "remove", "unlink", "rmdir", "fsync")
"""The functions of `os` after which another process could find another state of the disk."""


def kill_at_each_step(make_act: Callable[[int], Callable[[], Any]]) -> Iterator[int]:
    """Runs an act again and again, each time killed one step later, and yields after each kill.

    Ends when the act has fewer steps.

    Args:
      make_act: makes the act for a step, on files of its own.
    """
    for step in range(1, 1000):
        process = _PROCESSES.Process(target=_run, args=(make_act(step), step))
        process.start()
        process.join()
        if process.exitcode == 0:
            assert step > len(_STEPS), "the act has too few steps to be the real one"
            return
        assert process.exitcode == -signal.SIGKILL
        yield step


def _run(act: Callable[[], Any], step: int) -> None:
    left = step

    def count(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return counted

    for name in _STEPS:
        setattr(os, name, count(getattr(os, name)))
    act()
