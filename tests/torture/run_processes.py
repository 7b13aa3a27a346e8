"""The processes of a run, by what they do."""

import contextlib
import itertools
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from plan import Target

_MARK = "TORTURE_CONTROL"
_MAIN = {
    "pipeline.runners.local.dag_process_main": "DAG process",
    "apache_beam.runners.worker.sdk_worker_main": "Beam worker",
}


def find_processes(control: str) -> dict[int, str]:
    """Returns the running processes that were started with this control page, and their roles.

    A role is a `Target`, or the main module of another process.
    """
    found = {}
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):  # It has ended meanwhile, or is not ours.
            variables = _read_variables(directory)
            if variables.get(_MARK) == control and _state(directory) not in "ZX":
                found[int(directory.name)] = _name_role(directory, variables)
    return found


def find_target(control: str, target: Target, parent: int, frozen: int) -> int | None:
    """Returns the process to strike, or None if there is none now."""
    if target == "parent":
        return parent
    if target == "writer":
        return frozen or None
    found = (pid for pid, role in sorted(find_processes(control).items()) if role == target)
    return next(found, None)


def kill_all(control: str) -> int:
    """Kills all processes of the run at once, as a power cut does; returns their number.

    All are stopped first, so that none sees the end of another.
    """
    killed: set[int] = set()
    while found := find_processes(control).keys() - killed:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, number)
        killed |= found
        time.sleep(0.01)
    return len(killed)


def wait_until_gone(control: str, seconds: float) -> dict[int, str]:
    """Waits for the end of all processes of a run, and returns those that still run."""
    deadline = time.monotonic() + seconds
    while (left := find_processes(control)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _read_variables(directory: Path) -> dict[str, str]:
    text = (directory / "environ").read_bytes().decode(errors="replace")
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)


def _state(directory: Path) -> str:
    return (directory / "stat").read_text().rpartition(")")[2].split()[0]


def _name_role(directory: Path, variables: dict[str, str]) -> str:
    arguments = (directory / "cmdline").read_bytes().decode(errors="replace").split("\0")
    module = next(_modules(arguments), "")
    cluster = json.loads(variables.get("TF_CONFIG") or "{}")
    if module == "components.supervision.worker" and "task" in cluster:
        return "chief" if cluster["task"]["index"] == 0 else "worker"
    if module == "pipeline":
        return "parent"
    return _MAIN.get(module, module or Path(arguments[0]).name)


def _modules(arguments: list[str]) -> Iterator[str]:
    return (after for flag, after in itertools.pairwise(arguments) if flag == "-m")
