"""Runs a worker's command on one core, another one for each worker.

`python -m benchmarks.measuring.pinned COMMAND ...`. Otherwise one worker alone would take all
cores, and a second one would seem to gain nothing. Only Linux can do this.
"""

from __future__ import annotations

import json
import os
import sys


def choose_core(index: int, cores: set[int]) -> int:
    """Returns the core of the worker with this index; workers share cores if there are too few."""
    return sorted(cores)[index % len(cores)]


if __name__ == "__main__":
    own = json.loads(os.environ.get("TF_CONFIG") or "{}").get("task", {}).get("index", 0)
    if sys.platform == "linux":
        os.sched_setaffinity(0, {choose_core(own, os.sched_getaffinity(0))})
    os.execvp(sys.argv[1], sys.argv[1:])
