"""What the numbers of a benchmark depend on: the commit, and the machine."""

from __future__ import annotations

import os
import platform
import subprocess

import psutil

from benchmarks.measuring.process import ROOT

Facts = dict[str, object]


def collect_machine() -> Facts:
    """Returns the commit, and the cores, the memory and the Python of this machine."""
    return {
        "commit": read_commit(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_gb": round(psutil.virtual_memory().total / 2**30),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }


def read_commit() -> str:
    """Returns the short name of the commit, with `-dirty` if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def describe_machine(facts: Facts) -> str:
    """Returns a sentence with the commit and the machine of a measurement."""
    cores, memory = facts["cpus"], facts["memory_gb"]
    return (
        f"Commit {facts['commit']}, {cores} cores ({facts['machine']}), {memory} GB of memory, "
        f"Python {facts['python']}."
    )
