"""The access log: a line per request, without the cells of the request.

Lines hold time, client, method, path without query, status, rows, milliseconds and version. They
are written a few times a second: a write for each request would cost a tenth of the throughput.
"""

from __future__ import annotations

import asyncio
import sys
import time

from pipeline.core.processes import silence
from pipeline.core.text import printable, shorten

_FLUSH_SECONDS = 0.2
_LONGEST_PATH = 200


class AccessLog:
    """Collects lines and writes them to standard output."""

    def __init__(self, is_on: bool) -> None:
        self._is_on = is_on
        self._lines: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(
        self, client: str, method: str, path: str, code: int, seconds: float, details: str
    ) -> None:
        """Adds a line; `details` says what was answered."""
        if not self._is_on:
            return
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        shown = shorten(printable(path), _LONGEST_PATH)
        line = f"{now} {client} {method} {shown} {code} {1e3 * seconds:.1f} ms {details}".rstrip()
        self._lines.append(line + "\n")
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Writes what was collected."""
        lines, self._lines = self._lines, []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if lines:
            try:
                sys.stdout.write("".join(lines))
                sys.stdout.flush()
            except OSError:
                # Nobody reads standard output any more; the requests are answered all the same.
                silence(sys.stdout)
