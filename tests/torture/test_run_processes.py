import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from run_processes import find_processes, find_target, kill_all, wait_until_gone

SLEEP = "import time; time.sleep(60)"
MODULES = (
    "components.supervision.worker",
    "pipeline.runners.local.dag_process_main",
    "apache_beam.runners.worker.sdk_worker_main",
)


@contextlib.contextmanager
def processes(directory: Path) -> Iterator[Mapping[str, int]]:
    """Starts a sleeping process for each role of a run; yields their numbers by role."""
    for module in MODULES:
        path = directory / module.replace(".", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(SLEEP)
    environment = {"TORTURE_CONTROL": str(directory), "PYTHONPATH": str(directory)}
    clusters = {"chief": 0, "worker": 1}
    with contextlib.ExitStack() as stack:
        started = {}
        roles = ("chief", "worker", "DAG process", "Beam worker")
        for role, module in zip(roles, (MODULES[0], *MODULES)):
            task = {"task": {"type": "worker", "index": clusters.get(role, 0)}}
            process = subprocess.Popen(
                [sys.executable, "-m", module],
                cwd=directory,
                env={**os.environ, **environment, "TF_CONFIG": json.dumps(task)},
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started[role] = process.pid
        yield started


def wait_for_all(control: str, wanted: Mapping[str, int]) -> None:
    deadline = time.monotonic() + 20
    while {role: pid for pid, role in find_processes(control).items()} != wanted:
        assert time.monotonic() < deadline, find_processes(control)
        time.sleep(0.05)


def test_each_process_of_a_run_has_its_role_and_a_power_cut_ends_all(tmp_path: Path) -> None:
    control = str(tmp_path)
    with processes(tmp_path) as started:
        wait_for_all(control, started)
        for role in ("chief", "worker", "DAG process", "Beam worker"):
            assert find_target(control, role, parent=1, frozen=2) == started[role]
        assert find_target(control, "parent", parent=1, frozen=2) == 1
        assert find_target(control, "writer", parent=1, frozen=2) == 2
        assert find_target(control, "writer", parent=1, frozen=0) is None
        assert wait_until_gone(control, 0.1) == {pid: role for role, pid in started.items()}
        assert kill_all(control) == 4
        assert wait_until_gone(control, 0.1) == {}


@pytest.mark.parametrize("role", ["chief", "Beam worker"])
def test_a_role_that_no_process_has_is_no_target(tmp_path: Path, role) -> None:
    assert find_target(str(tmp_path), role, parent=1, frozen=2) is None
