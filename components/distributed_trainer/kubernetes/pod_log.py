"""Follows a pod's log: prints lines, keeps the steps for the supervisor, passes on the events."""

from __future__ import annotations

import re
import sys
import threading
from contextlib import suppress

import urllib3

from components.distributed_trainer.kubernetes.api import Api, NotFoundError
from components.distributed_trainer.kubernetes.step_lines import parse_event_line, parse_step_line
from pipeline.core.errors import ConfigError
from pipeline.core.events import pass_on

_PAUSE_SECONDS = 1.0
"""The pause before a stream that ended is opened again, so that a lost pod causes few requests."""
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT")


class PodLog:
    """Reads one pod's log in a thread.

    A stream may end at any moment, by a timeout or when the node starts a new file. The next stream
    begins at the second of the last line, and the thread skips the lines that it has seen: their
    time stamps are not later than the last one.
    """

    def __init__(self, api: Api, pod: str, name: str) -> None:
        self.progress = (-1, 0)
        """The steps and ticks that the pod reported last."""
        self.error: ConfigError | None = None
        """Why the log may not be read, such as a missing right."""
        self._api = api
        self._pod = pod
        self._prefix = f"[{name}] "
        self._last = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Waits up to `seconds` until the thread has read the rest of an ended pod's log."""
        self._ended.set()
        self._thread.join(seconds)

    def _follow(self) -> None:
        ended = False
        while not ended:
            # A last read after the pod has ended gets the rest of the log.
            ended = self._ended.is_set()
            with suppress(NotFoundError, urllib3.exceptions.HTTPError):
                self._read()
            self._ended.wait(_PAUSE_SECONDS)

    def _read(self) -> None:
        try:
            for line in self._api.stream_log(self._pod, self._last):
                self._handle(line)
        except ConfigError as error:
            self.error = error

    def _handle(self, stamped: str) -> None:
        """Keeps the steps of a step line, passes an event on, and prints any other new line."""
        stamp, _, line = stamped.partition(" ")
        if not _STAMP.match(stamp):
            line = stamped  # The node's own message, such as that it cannot find the log.
        elif stamp <= self._last:
            return
        else:
            self._last = stamp
        progress = parse_step_line(line)
        if progress is not None:
            self.progress = progress
        elif (event := parse_event_line(line)) is not None:
            pass_on(event)
        else:
            self._print(line)

    def _print(self, line: str) -> None:
        # Worker lines already carry the name; Python start-up errors do not.
        sys.stderr.write(f"{self._prefix}{line.removeprefix(self._prefix)}\n")
        sys.stderr.flush()
