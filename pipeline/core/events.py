"""What the processes of a run tell its watchers: JSON lines appended to a file.

A file and not a pipe: any process of a run may write (trainers on other cores too), a reader that
comes late misses nothing, and the lines stay as a record of the run.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pipeline.core.environment import EVENT_FIELDS_VARIABLE, EVENTS_VARIABLE


def emit(event: str, **fields: Any) -> bool:
    """Appends an event; False if the disk is full, which must not hide what went wrong before.

    Nothing happens where nobody listens.
    """
    path = os.environ.get(EVENTS_VARIABLE)
    if path:
        fields |= json.loads(os.environ.get(EVENT_FIELDS_VARIABLE, "{}"))
        try:
            # One write of one line in append mode: lines of several processes do not mix.
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"event": event, **fields}) + "\n")
        except OSError:
            return False
    return True
