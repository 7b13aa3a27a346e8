"""The guard ends a task whose executor was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from process_states import is_running, wait_until
from small_pipeline import component, list_arguments, write_pipeline


def test_a_task_does_not_outlive_a_killed_executor(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    slow = f"""
import subprocess
child = subprocess.Popen(["sleep", "60"])
pathlib.Path({str(pids)!r}).write_text(f"{{os.getpid()}} {{child.pid}}\\n")
child.wait()
"""
    file = write_pipeline(tmp_path / "pipeline.yaml", {"slow": component(slow)}, {"slow": {}})
    executor = [sys.executable, "-m", "pipeline.runners.kfp_local", *list_arguments(file)]
    process = subprocess.Popen(executor, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"), 20)
        task, child = map(int, pids.read_text().split())
        assert is_running(task)
        assert is_running(child)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_until(lambda: not is_running(task) and not is_running(child), 20)
