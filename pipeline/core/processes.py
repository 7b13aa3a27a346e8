"""How many processors there are for this process."""

from __future__ import annotations

import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """Those it may run on, and no more than its container is given time for."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    if _QUOTA.exists():
        quota, _, period = _QUOTA.read_text().partition(" ")
        if quota.isdigit():
            cores = min(cores, max(1, round(int(quota) / int(period))))
    return cores
