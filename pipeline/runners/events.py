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


def emit(event: str, **fields: Any) -> None:
    """Appends an event; nothing happens where nobody listens."""
    path = os.environ.get(EVENTS_VARIABLE)
    if path:
        # One write of one line in append mode: lines of several processes do not mix.
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, **fields}) + "\n")


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
        return [json.loads(line) for line in complete.splitlines()]
