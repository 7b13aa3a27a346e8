"""Writes and reads events as JSON lines of a file.

A file serves better than a pipe: any process of a run can write to it, a reader that comes late
misses nothing, and the lines stay as a record of the run.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.core.environment import EVENT_FIELDS_VARIABLE, EVENTS_VARIABLE
from pipeline.core.events.event_types import EVENT_TYPES, Event, TrialChanged
from pipeline.core.events.payloads import to_json


@dataclass(frozen=True)
class Sender:
    """The trial whose process sends events.

    `emit` writes these fields into each event of the process, in place of the event's own fields
    of the same names.
    """

    component: str
    """The component that runs the trial."""
    trial: str
    """The trial's number, from 1 on."""

    def to_line(self) -> str:
        """Returns the value of EVENT_FIELDS_VARIABLE for this process."""
        return json.dumps(to_json(self))


@dataclass(frozen=True)
class Envelope:
    """An event with its sender."""

    event: Event
    trial: str | None = None
    """The trial whose process sent the event; None if no trial's process did."""
    time: float | None = field(default=None, compare=False)
    """When the event was sent, in seconds since the epoch; None in older logs."""


def emit(event: Event) -> bool:
    """Appends an event to the file named by EVENTS_VARIABLE; does nothing without the variable.

    Returns:
      False if the line cannot be written, such as on a full disk. That raises no error, because it
      would hide an earlier failure.
    """
    content: dict[str, Any] = {"event": event.kind, "time": round(time.time(), 3)}
    if event.component:
        content["component"] = event.component
    content |= to_json(event)
    if sender := os.environ.get(EVENT_FIELDS_VARIABLE):
        content |= to_json(Sender(**json.loads(sender)))
    return pass_on(json.dumps(content))


def pass_on(line: str) -> bool:
    """Appends the line of an event, such as one from another machine; otherwise as `emit`."""
    path = os.environ.get(EVENTS_VARIABLE)
    if not path:
        return True
    try:
        # One write of one line in append mode: lines of several processes do not mix.
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError:
        return False
    return True


class EventReader:
    """Reads the events of a run while other processes write them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> list[Envelope]:
        """Returns the events that were appended since the last call.

        Lines that are cut, and events that this version does not know, are skipped.
        """
        return [envelope for line in self.read_lines() if (envelope := _parse(line))]

    def read_lines(self) -> list[bytes]:
        """Returns the complete lines that were appended since the last call."""
        if not self._path.exists():
            return []
        with open(self._path, "rb") as file:
            file.seek(self._offset)
            content = file.read()
        complete = content[: content.rfind(b"\n") + 1]
        self._offset += len(complete)
        return complete.splitlines()


def _parse(line: bytes) -> Envelope | None:
    try:
        # A full disk may cut a line; the next line then continues it, and both are lost.
        content = json.loads(line)
        for event_type in EVENT_TYPES:
            if event_type.is_described_by(content):
                return _validate(event_type, content)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        # No JSON, or JSON of another form.
        return None
    return None


def _validate(event_type: type[Event], content: dict[str, Any]) -> Envelope:
    """Returns the event of a line; keys that the event does not have are ignored.

    Raises:
      ValueError: a value has the wrong type. Programs and full disks damage lines.
    """
    event: Event = _validators()[event_type](event_type.upgrade(content))
    # A trial reports on itself; all other events of a trial belong to it.
    sender = None if event_type is TrialChanged else content.get("trial")
    envelope: Envelope = _validators()[Envelope](
        {"event": event, "trial": sender, "time": content.get("time")}
    )
    return envelope


@functools.cache
def _validators() -> dict[Any, Callable[[Any], Any]]:
    # Imported here: the processes that only send events start sooner without it.
    from pydantic import TypeAdapter

    kinds: list[Any] = [Envelope, *EVENT_TYPES]
    return {kind: TypeAdapter(kind).validate_python for kind in kinds}
