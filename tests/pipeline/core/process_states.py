"""Looks at processes that tests have started, and waits for what they do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def is_running(pid: int) -> bool:
    """Whether the process is at work; one that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # It may end while its file is being read.
        return False


def wait_until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Waits until the condition holds, and fails when the time is over."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
