"""Follows the log of a pod: people's lines go on to this process's own, steps to the supervisor."""

from __future__ import annotations

import re
import sys
import threading
from contextlib import suppress

import urllib3

from components.distributed_trainer.kubernetes.api import Api, NotThereError
from components.distributed_trainer.kubernetes.step_lines import read_steps
from pipeline.core.errors import ConfigError

_PAUSE_SECONDS = 1.0
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT")


class PodLog:
    """One log, read by a thread of its own.

    A stream may end at any moment, by a timeout or when the node starts a new file. The next one
    begins a little before, and what has been seen is left out by the times of its lines.
    """

    def __init__(self, api: Api, pod: str, name: str) -> None:
        self.progress = (-1, 0)
        """The last steps and ticks told."""
        self.refusal: ConfigError | None = None
        """Why the log may not be read."""
        self._api = api
        self._pod = pod
        self._prefix = f"[{name}] "
        self._last = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Has the rest of the log of a pod that has ended read, if it takes no longer."""
        self._ended.set()
        self._thread.join(seconds)

    def _follow(self) -> None:
        ended = False
        while not ended:
            # Read once more after the end: what is there then is all.
            ended = self._ended.is_set()
            with suppress(NotThereError, urllib3.exceptions.HTTPError):
                self._read()
            self._ended.wait(_PAUSE_SECONDS)

    def _read(self) -> None:
        try:
            for line in self._api.log(self._pod, self._last):
                self._take(line)
        except ConfigError as error:
            self.refusal = error

    def _take(self, stamped: str) -> None:
        stamp, _, line = stamped.partition(" ")
        if not _STAMP.match(stamp):
            line = stamped  # Of the node itself, such as that it cannot find the log.
        elif stamp <= self._last:
            return
        else:
            self._last = stamp
        steps = read_steps(line)
        if steps is not None:
            self.progress = steps
            return
        # What a worker says has its name already; what Python says of one that does not start, not.
        sys.stderr.write(f"{self._prefix}{line.removeprefix(self._prefix)}\n")
        sys.stderr.flush()
