"""The command learns how its fork ends, whatever happens to the warm process; nothing is left."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from process_states import is_running, wait_until
from warm_runs import find, replace_imports, run, wait_for_warm_process, waiting_fork

from pipeline.runners.local.warm import client
from pipeline.runners.workspace.lock import is_locked

pytestmark = pytest.mark.usefixtures("cold")
_COMMAND = """
import sys, time
from pathlib import Path
from pipeline.runners.local.dag_process import start_dag_process
from pipeline.runners.local.job import Job
from pipeline.runners.local.warm import client, warm_process
from pipeline.runners.workspace.lock import lock_directory
client._CODE = sys.argv[1]
directory = Path(sys.argv[2])
job = Job("{}", *("unused" for _ in range(4)), str(directory / "temporary"), until=None)
with lock_directory(directory, "--output") as lock, start_dag_process(job, directory, (lock,), 0):
    print("started", flush=True)
    time.sleep(600)
"""


@pytest.mark.usefixtures("is_warm")
def test_a_fork_ends_with_its_command_and_frees_the_locks(tmp_path: Path) -> None:
    run(tmp_path / "first")
    wait_for_warm_process()
    with waiting_fork(tmp_path) as process:
        fork = process.pid
        process.stdin.close()
        assert process.wait(60) != 0
    assert not is_running(fork)
    assert not is_locked(tmp_path)


@pytest.mark.usefixtures("is_warm")
def test_a_killed_warm_process_takes_its_forks_along(tmp_path: Path) -> None:
    pid = run(tmp_path / "first")
    wait_for_warm_process()
    with waiting_fork(tmp_path) as process:
        fork = process.pid
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        os.kill(pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    wait_until(lambda: not is_running(fork))
    assert run(tmp_path / "second") != pid


@pytest.mark.usefixtures("is_warm")
def test_an_interruption_before_the_fork_ends_the_warm_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_imports(monkeypatch, "lambda: __import__('time').sleep(600)")
    with waiting_fork(tmp_path) as process:
        assert process.poll() is None
        parent = process.pid
        process.terminate()
        assert process.wait(60) == -signal.SIGTERM
    wait_until(lambda: not is_running(parent))
    assert not is_locked(tmp_path)


def test_a_kernel_without_handles_of_processes_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int) -> NoReturn:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr("os.pidfd_open", refuse)
    run(tmp_path)


def test_a_command_that_is_killed_amid_the_imports_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_imports(monkeypatch, "lambda: __import__('time').sleep(1)")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = [sys.executable, "-c", _COMMAND, client._CODE, str(tmp_path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"started\n"
        assert is_locked(tmp_path)
        command.kill()
    assert not is_locked(tmp_path)
    wait_until(lambda: not temporary.exists())
    assert not (tmp_path / "events.jsonl").exists()


@pytest.mark.usefixtures("is_warm")
def test_a_stopped_process_is_replaced_and_hides_no_end_of_its_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_ANSWER_SECONDS", 0.5)
    pid = run(tmp_path / "first")
    wait_for_warm_process()
    with waiting_fork(tmp_path) as process:
        os.kill(pid, signal.SIGSTOP)
        try:
            assert find() is None
            assert run(tmp_path / "second") != pid
            process.terminate()
            assert process.wait(60) == -signal.SIGKILL
            assert not is_running(process.pid)
        finally:
            os.kill(pid, signal.SIGCONT)
    wait_until(lambda: not is_running(pid))
