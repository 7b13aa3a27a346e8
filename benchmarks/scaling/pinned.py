"""Runs a worker's command on one core, another one for each worker.

`python -m benchmarks.scaling.pinned COMMAND ...`. Otherwise one worker alone would take all cores,
and a second one would seem to gain nothing. Only Linux can do this.
"""

from __future__ import annotations

import json
import os
import sys

from benchmarks.scaling.link import VARIABLE, enter_link


def choose_core(index: int, cores: set[int]) -> int:
    """Returns the core of the worker with this index; workers share cores if there are too few."""
    return sorted(cores)[index % len(cores)]


if __name__ == "__main__":
    own = json.loads(os.environ.get("TF_CONFIG") or "{}").get("task", {}).get("index", 0)
    prefix: list[str] = []
    environment = dict(os.environ)
    if VARIABLE in environment:
        prefix, environment = enter_link(own, environment)
    if sys.platform == "linux":
        os.sched_setaffinity(0, {choose_core(own, os.sched_getaffinity(0))})
    command = [*prefix, *sys.argv[1:]]
    os.execvpe(command[0], command, environment)
