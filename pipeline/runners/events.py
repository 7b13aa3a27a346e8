"""What a working process tells its parent: JSON lines appended to a file.

A file and not a pipe: any process of a run may write (trainers on other cores too), a reader that
comes late misses nothing, and the lines stay as a record of the run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pipeline.config.environment import EVENTS_VARIABLE


def emit(event: str, **fields: Any) -> bool:
    """Appends an event; False if the disk is full, which must not hide what went wrong before.

    Nothing happens where nobody listens.
    """
    path = os.environ.get(EVENTS_VARIABLE)
    if path:
        try:
            # One write of one line in append mode: lines of several processes do not mix.
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"event": event, **fields}) + "\n")
        except OSError:
            return False
    return True


class EventReader:
    """Reads what was appended since the last call."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        with open(self._path, "rb") as file:
            file.seek(self._offset)
            content = file.read()
        complete = content[: content.rfind(b"\n") + 1]
        self._offset += len(complete)
        return [event for line in complete.splitlines() if (event := _parse(line))]


def _parse(line: bytes) -> dict[str, Any] | None:
    """A full disk cuts a line, which the next one then continues."""
    try:
        event: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return event
