"""Python scripts that replace the training code in supervised processes, since they start fast."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from pathlib import Path

from components.supervision.processes import ProcessLauncher

_PRELUDE = """
import json, os, sys, time
type_, task = json.loads(os.environ["TF_CONFIG"])["task"].values()
folder = json.loads(sys.stdin.readline())
me = f"{task}-" if type_ == "worker" else f"{type_}{task}-"
attempt = len([n for n in os.listdir(folder) if n.startswith(me)])
open(f"{folder}/{me}{attempt}", "w").write(str(os.getpid()))
def steps(count):
    with open(os.environ["PIPELINE_STEPS"] + ".part", "w") as file:
        json.dump([count, count], file)
    os.replace(os.environ["PIPELINE_STEPS"] + ".part", os.environ["PIPELINE_STEPS"])
def report(message, **fields):
    with open(os.environ["PIPELINE_REPORT"], "w") as file:
        json.dump({"message": message, **fields}, file)
    sys.exit(1)
def wait_for_all(count):
    while len(os.listdir(folder)) < count * (attempt + 1): time.sleep(0.05)
"""
"""Defines names for scripts, and writes a file TASK-ATTEMPT with the process id into the folder
that the job names."""


def make_command(script: str) -> list[str]:
    """Returns the command of a worker that runs the script after the prelude."""
    return [sys.executable, "-c", _PRELUDE + textwrap.dedent(script)]


def make_launcher(
    folder: Path, script: str, workers: int = 2, tasks: dict[str, int] | None = None
) -> ProcessLauncher:
    job = json.dumps(str(folder))
    return ProcessLauncher(job, tasks or {"worker": workers}, make_command(script))


def list_starts(folder: Path) -> list[str]:
    """Returns TASK-ATTEMPT for every start of a worker."""
    return sorted(path.name for path in folder.iterdir())


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def skip_pause(_: float) -> None:
    """Replaces the pause before a restart."""
