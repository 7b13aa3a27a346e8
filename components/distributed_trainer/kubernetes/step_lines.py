"""The log lines by which a worker's pod reports its steps to the Trainer.

The Trainer reads the log anyway, to show it to people. The log reaches the Trainer through the API
server, wherever the pods run. A direct connection from the workers would need an exception in
network policies and service meshes.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"##worker: step (-?\d+), tick (\d+)$")


def format_step_line(steps: int, ticks: int) -> str:
    """Returns the log line that reports a worker's steps and ticks (see `WorkerStatus`)."""
    return f"##worker: step {steps}, tick {ticks}"


def parse_step_line(line: str) -> tuple[int, int] | None:
    """Returns the steps and ticks that a log line reports, or None for any other line."""
    match = _LINE.match(line)
    return (int(match[1]), int(match[2])) if match else None
