"""The DAG process holds the locks of its run, and ends with its `with` statement."""

import subprocess
from pathlib import Path

import pytest

from pipeline.runners.local.dag_process import start_dag_process
from pipeline.runners.local.job import Job
from pipeline.runners.workspace.lock import is_locked, lock_directory


def test_the_dag_process_inherits_the_lock_and_ends_after_a_failure_of_its_parent(
    tmp_path: Path,
) -> None:
    job = Job("{}", *("unused" for _ in range(4)), str(tmp_path), until=None)
    started: list[subprocess.Popen[bytes]] = []

    def fail_beside_a_dag_process(lock: int) -> None:
        with start_dag_process(job, tmp_path, (lock,)) as process:
            started.append(process)
            assert process.poll() is None
            assert (tmp_path / ".lock").read_text().split()[-1] == str(process.pid)
            raise OSError("no terminal")

    with lock_directory(tmp_path, "--output") as lock:
        with pytest.raises(OSError, match="no terminal"):
            fail_beside_a_dag_process(lock)
        assert started[0].returncode is not None
    assert not is_locked(tmp_path)
    assert (tmp_path / "run.log").exists()
