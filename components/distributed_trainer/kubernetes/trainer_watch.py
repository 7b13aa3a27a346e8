"""Tells a worker's pod that its Trainer is gone, without the Kubernetes API.

The Trainer holds a lock on the shared volume for as long as it lives (pipeline/core/ownership.py).
If the Trainer is killed, nobody holds the lock, and its workers can end at once. If only the API is
away, the Trainer still holds the lock, and the workers go on.
"""

from __future__ import annotations

import threading
import time

from pipeline.core.files import is_lock_held

TRAINER_LOCK_VARIABLE = "PIPELINE_TRAINER_LOCK"
"""The path of the Trainer's lock file."""
_POLL_SECONDS = 5.0
"""The pause between two looks at the lock."""
_LOOKS = 2
"""So many looks in a row must find the lock free: a file server may be about to restore it."""


class TrainerWatch:
    """Looks at the Trainer's lock in a thread, which may hang with the volume.

    The file system may keep locks within one node, or the pod may lack the volume. The lock then
    says nothing, so a free lock counts only after this pod has seen it held.
    """

    def __init__(self, lock_file: str, pause_seconds: float = _POLL_SECONDS) -> None:
        self._lock_file = lock_file
        self._pause_seconds = pause_seconds
        self._gone = threading.Event()
        threading.Thread(target=self._watch, name="trainer watch", daemon=True).start()

    def is_trainer_gone(self) -> bool:
        """Whether the Trainer held its lock once, and no longer does."""
        return self._gone.is_set()

    def _watch(self) -> None:
        was_held, free_looks = False, 0
        while free_looks < _LOOKS:
            is_held = is_lock_held(self._lock_file)
            was_held = was_held or is_held is True
            free_looks = free_looks + 1 if was_held and is_held is False else 0
            time.sleep(self._pause_seconds)
        self._gone.set()
