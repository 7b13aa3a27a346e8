"""Shows how far a batch prediction is: one line that is rewritten, or a line now and then."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live

from pipeline.core.text import counted

_LINE_SECONDS = 10.0
"""Seconds between two lines where the output is no terminal."""
_RATE_SECONDS = 5.0
"""The rate is that of the last seconds: the start of TensorFlow would spoil a mean of all."""


class PredictionProgress:
    """The rows so far, and the rows a second."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, refresh_per_second=5)
        self._seen: list[tuple[float, int]] = []
        self._next_line = time.monotonic() + _LINE_SECONDS

    def __enter__(self) -> PredictionProgress:
        if self._console.is_terminal:
            self._live.start()
            self._live.update("Reading the files and starting TensorFlow ...")
        return self

    def __exit__(self, *unused: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, rows: int, bad: int) -> None:
        """Takes the rows with and without a prediction so far."""
        now = time.monotonic()
        self._seen.append((now, rows + bad))
        while now - self._seen[0][0] > _RATE_SECONDS and len(self._seen) > 2:
            self._seen.pop(0)
        line = self._describe(rows, bad)
        if self._console.is_terminal:
            self._live.update(line)
        elif now >= self._next_line:
            self._next_line = now + _LINE_SECONDS
            self._console.print(line)

    def _describe(self, rows: int, bad: int) -> str:
        (begun, first), (ended, last) = self._seen[0], self._seen[-1]
        parts = [counted(rows, "row")]
        if ended > begun:
            parts.append(f"{(last - first) / (ended - begun):,.0f} rows/s")
        if bad:
            parts.append(counted(bad, "bad row"))
        return ", ".join(parts)
