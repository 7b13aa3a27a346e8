"""Runs are forks of one warm process, and end as processes of their own do."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest
import warm_runs
from process_states import is_running, wait_until
from warm_runs import find, run, wait_for_warm_process, waiting_fork

from pipeline.core.errors import ConfigError
from pipeline.runners.local.warm import client, warm_process
from pipeline.runners.local.warm.address import find_place, make_socket
from pipeline.runners.local.warm.client import check_place

pytestmark = pytest.mark.usefixtures("cold")


class _NoJob:
    """What no process can read as a job."""

    def to_line(self) -> bytes:
        return b"no job"


@pytest.mark.usefixtures("is_warm")
def test_the_next_run_is_a_fork_of_the_same_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(tmp_path / "first")
    assert wait_for_warm_process() == first
    assert run(tmp_path / "second") == first
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    assert run(tmp_path / "third") == first


@pytest.mark.usefixtures("is_warm")
def test_a_run_in_another_environment_replaces_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(tmp_path / "first")
    wait_for_warm_process()
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "1")
    # That of the former environment is none for a run in this one.
    assert find() is None
    second = run(tmp_path / "second")
    assert second != first
    wait_until(lambda: not is_running(first))
    assert wait_for_warm_process() == second


@pytest.mark.usefixtures("is_warm")
def test_the_process_ends_when_its_time_is_over_and_when_it_is_told(tmp_path: Path) -> None:
    for number, minutes in enumerate((0, 1)):
        pid = run(tmp_path / str(number), minutes)
        if minutes:
            os.kill(wait_for_warm_process(), signal.SIGTERM)
        wait_until(lambda pid=pid: not is_running(pid))  # type: ignore[misc]
        assert find() is None


@pytest.mark.usefixtures("is_warm")
def test_runs_beside_each_other_are_forks_of_one_process(tmp_path: Path) -> None:
    pid = run(tmp_path / "first")
    wait_for_warm_process()
    with waiting_fork(tmp_path) as process:
        assert run(tmp_path / "second") == pid
        assert process.poll() is None
        # Told to end, the process lets its forks finish.
        os.kill(pid, signal.SIGTERM)
        process.stdin.close()
        assert process.wait(60) == 1
    wait_until(lambda: not is_running(pid))


@pytest.mark.usefixtures("is_warm")
def test_a_run_at_work_does_not_shorten_what_is_told_of_the_time(tmp_path: Path) -> None:
    with waiting_fork(tmp_path, minutes=30):
        wait_for_warm_process()
        found = find()
        assert found is not None
        assert found.minutes == 30


def test_a_process_whose_imports_fail_runs_its_job_and_ends(tmp_path: Path) -> None:
    pid = run(tmp_path)
    wait_until(lambda: not is_running(pid))
    assert find() is None


@pytest.mark.usefixtures("is_warm")
def test_two_first_runs_beside_each_other_leave_one_process(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        processes = []
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            processes.append(stack.enter_context(waiting_fork(tmp_path / name)))
        parents = [process.pid for process in processes]
        assert all(process.wait_for_fork(60) for process in processes)
        assert len({*parents, *(process.pid for process in processes)}) == 4
        wait_for_warm_process()
    wait_until(lambda: sum(map(is_running, parents)) == 1)
    assert wait_for_warm_process() in parents


@pytest.mark.usefixtures("is_warm")
def test_messages_that_are_no_request_harm_no_run(tmp_path: Path) -> None:
    pid = run(tmp_path / "first")
    wait_for_warm_process()
    with waiting_fork(tmp_path) as process, make_socket() as silent, make_socket() as loud:
        silent.connect(str(find_place()))
        loud.connect(str(find_place()))
        socket.send_fds(loud, [b"\xff"], [0, 1, 2])
        assert loud.recv(1) == b""
        assert run(tmp_path / "second") == pid
        assert process.poll() is None


@pytest.mark.usefixtures("is_warm")
def test_files_of_the_command_stay_open_in_no_other_process(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    run(tmp_path / "first")
    wait_for_warm_process()
    os.close(writer)
    assert select.select([reader], [], [], 0)[0]
    assert os.read(reader, 1) == b""
    os.close(reader)


@pytest.mark.usefixtures("is_warm")
def test_a_run_needs_no_socket_of_a_warm_process(tmp_path: Path) -> None:
    find_place().mkdir()
    pid = run(tmp_path / "first")
    wait_until(lambda: not is_running(pid))
    with pytest.raises(ConfigError, match=r"--keep-warm: .*is no socket"):
        check_place()


def test_an_error_before_the_job_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_runs, "make_job", lambda *unused: _NoJob())
    with waiting_fork(tmp_path) as process:
        assert process.wait(60) == 1
    assert "json.decoder.JSONDecodeError" in (tmp_path / "run.log").read_text()


def test_whatever_an_import_raises_is_left_to_the_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    def end() -> NoReturn:
        raise SystemExit("no such processor")

    monkeypatch.setattr(warm_process, "quick_imports", end)
    assert not warm_process._warm_up()


def test_the_environment_may_be_larger_than_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        monkeypatch.setenv(f"LARGE_{number}", "x" * 120_000)
    run(tmp_path)


@pytest.mark.usefixtures("is_warm")
def test_a_directory_of_caches_may_be_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caches: Path
) -> None:
    monkeypatch.chdir(caches)
    monkeypatch.setenv("XDG_CACHE_HOME", "own")
    pid = run(tmp_path / "first")
    assert wait_for_warm_process() == pid
    assert run(tmp_path / "second") == pid
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not is_running(pid))
    assert not find_place().exists()


def test_another_program_at_the_place_is_no_warm_process(tmp_path: Path) -> None:
    with make_socket() as other:
        other.bind(str(find_place()))
        other.listen()

        def answer() -> None:
            with other.accept()[0] as connection:
                connection.send(b"hello world, who is it")

        with ThreadPoolExecutor(1) as pool:
            answered = pool.submit(answer)
            run(tmp_path)
            answered.result()


@pytest.mark.usefixtures("is_warm")
def test_many_open_files_and_ended_children_that_nobody_awaits_harm_no_run(tmp_path: Path) -> None:
    code = f"""
import os, resource, signal
from pathlib import Path
import warm_runs
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
warm_runs.client._CODE = {client._CODE!r}
first = warm_runs.run(Path({str(tmp_path / "first")!r}))
assert warm_runs.wait_for_warm_process() == first
assert warm_runs.run(Path({str(tmp_path / "second")!r})) == first
os.kill(first, signal.SIGTERM)
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_an_unfit_place_is_refused_with_the_way_out(
    caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_place()
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(caches / ("long" * 20)))
        with pytest.raises(ConfigError, match=r"--keep-warm: .*too long for a socket") as caught:
            check_place()
    assert "XDG_CACHE_HOME" in caught.value.hint
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(ConfigError, match="works on Linux only"):
        check_place()
