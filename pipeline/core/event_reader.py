"""Reads the events of a run while they are written; pipeline.core.events writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


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
