"""The log lines by which a worker's pod reports its steps and its events to the Trainer.

The Trainer reads the log anyway, to show it to people. The log reaches the Trainer through the API
server, wherever the pods run. A direct connection from the workers would need an exception in
network policies and service meshes.
"""

from __future__ import annotations

import re

_EVENT = "##event: "
_LINE = re.compile(r"##worker: step (-?\d+), tick (\d+)$")


def format_step_line(steps: int, ticks: int) -> str:
    """Returns the log line that reports a worker's steps and ticks (see `WorkerStatus`)."""
    return f"##worker: step {steps}, tick {ticks}"


def parse_step_line(line: str) -> tuple[int, int] | None:
    """Returns the steps and ticks that a log line reports, or None for any other line."""
    match = _LINE.match(line)
    return (int(match[1]), int(match[2])) if match else None


def format_event_line(event: bytes) -> str:
    """Returns the log line that passes on a line of the worker's file of events."""
    return _EVENT + event.decode(errors="replace")


def parse_event_line(line: str) -> str | None:
    """Returns the event's own line, or None for any other line."""
    return line.removeprefix(_EVENT) if line.startswith(_EVENT) else None
