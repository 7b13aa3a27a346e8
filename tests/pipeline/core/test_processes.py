"""Processes count their cores, end with everything they started, and take SIGTERM as Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from process_states import is_running

from pipeline.core import processes
from pipeline.core.processes import (
    available_cores,
    end_foreign_group,
    end_group,
    held_interruptions,
    interrupted_when_terminated,
    wait_or_kill,
)

# A leader that prints its child's process id, then waits; the child ignores SIGTERM.
CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
LEADER = f"""
import signal, subprocess, sys, time
{{}}
print(subprocess.Popen([sys.executable, "-c", {CHILD!r}]).pid, flush=True)
time.sleep(60)
"""
IGNORES = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
LONG, SHORT = 30, 0.1
"""Grace seconds: for a leader that ends when it is asked, and for one that does not."""


@pytest.fixture(autouse=True)
def _handler_stays() -> Iterator[None]:
    previous = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, previous)


@contextlib.contextmanager
def group(script: str = LEADER.format("")) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """A leader of a group of its own, and the process id of its child."""
    command = [sys.executable, "-c", script]
    leader = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert leader.stdout is not None
        yield leader, int(leader.stdout.readline())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader.pid, signal.SIGKILL)
        leader.communicate()


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="macOS binds no process")
def test_cores_are_those_that_the_process_may_run_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.sched_getaffinity(0)
    monkeypatch.setattr(processes, "_QUOTA", tmp_path / "cpu.max")
    os.sched_setaffinity(0, {min(before)})
    try:
        assert available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert available_cores() == len(before)


@pytest.mark.parametrize(
    ("quota", "expected"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", None)]
)
def test_cores_are_at_most_the_cpu_time_of_the_container(
    quota: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_QUOTA", tmp_path / "cpu.max")
    (tmp_path / "cpu.max").write_text(quota + "\n")
    assert available_cores() == (expected or len(os.sched_getaffinity(0)))


def test_a_process_that_does_not_end_in_its_grace_time_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    wait_or_kill(process, SHORT)
    assert process.returncode == -signal.SIGKILL


def test_a_process_that_ends_in_its_grace_time_is_not_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    wait_or_kill(process, LONG)
    assert process.returncode == 3


@pytest.mark.parametrize(
    ("handler", "grace", "code"),
    [("", LONG, -signal.SIGTERM), (IGNORES, SHORT, -signal.SIGKILL)],
)
def test_a_group_ends_with_its_leader(handler: str, grace: float, code: int) -> None:
    with group(LEADER.format(handler)) as (leader, child):
        end_group(leader, grace)
        assert leader.returncode == code
        assert ends(child)


def test_a_group_whose_leader_has_ended_is_killed() -> None:
    with group(LEADER.replace("time.sleep(60)\n", "").format("")) as (leader, child):
        leader.wait()
        end_group(leader, LONG)
        assert leader.returncode == 0
        assert ends(child)


def test_ctrl_c_cuts_the_grace_time_short_and_the_group_is_killed() -> None:
    def interrupt(*unused: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    with group(LEADER.format(IGNORES)) as (leader, child):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            end_group(leader, LONG)
        assert leader.returncode == -signal.SIGKILL
        assert ends(child)


def test_the_group_of_another_process_ends() -> None:
    with group(LEADER.format(IGNORES)) as (leader, child):
        end_foreign_group(leader.pid, SHORT)
        assert leader.wait(10) == -signal.SIGKILL
        assert ends(child)
        end_foreign_group(leader.pid, LONG)  # There is nothing to end any more.


def test_a_process_ends_its_own_group_when_its_parent_is_gone() -> None:
    script = f"""
import subprocess, sys, time
from pipeline.core.processes import end_own_group, when_parent_is_gone
when_parent_is_gone(lambda: end_own_group({SHORT}))
{{}}
print(subprocess.Popen([sys.executable, "-c", {CHILD!r}]).pid, flush=True)
time.sleep(60)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script.format(f"import signal; {IGNORES}")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    child = int(process.stdout.readline())
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(10) == -signal.SIGKILL
    assert ends(child)
    process.stdout.close()


def test_sigterm_stays_an_interrupt_where_native_code_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(error: tf.errors.NotFoundError, *unused: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(tf.errors.NotFoundError, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught, interrupted_when_terminated():
        tf.io.gfile.exists(str(tmp_path / "missing"))
    assert "REPLACED BY KeyboardInterrupt" in str(caught.value.__cause__)


def test_sigterm_interrupts_once_and_later_errors_do_not_hide_it() -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            raise OSError("nothing to close")

    with pytest.raises(KeyboardInterrupt), interrupted_when_terminated():
        work()


def test_an_error_without_sigterm_is_raised_unchanged() -> None:
    with pytest.raises(OSError, match="no such table"), interrupted_when_terminated():
        raise OSError("no such table")


def interrupt_held(number: int, steps: list[str], error: Exception | None = None) -> None:
    with held_interruptions():
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        steps.append("after the signal")
        if error:
            raise error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_held_until_the_statement_has_ended(number: int) -> None:
    before = signal.getsignal(number)
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupt_held(number, steps)
    assert steps == ["after the signal"]
    assert signal.getsignal(number) == before


def test_an_error_goes_before_a_held_interruption() -> None:
    with pytest.raises(ValueError, match="first"):
        interrupt_held(signal.SIGINT, [], ValueError("first"))


def test_leaving_flushes_the_output_and_skips_destructors() -> None:
    script = "import atexit; from pipeline.core.processes import leave; print('written', end='')\n"
    script += "atexit.register(print, 'destructed'); leave(7)"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (7, b"written")


def test_a_silenced_output_fails_neither_later_nor_at_the_exit() -> None:
    program = """
import sys
from pipeline.core.processes import silence
try:
    print("unread", flush=True)
except BrokenPipeError:
    silence(sys.stdout)
print("unread", flush=True)
"""
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-c", program], stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
