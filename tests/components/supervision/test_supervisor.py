"""The supervisor with real processes, in which Python scripts replace the training code."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from scripted_workers import is_alive, list_starts, make_launcher, skip_pause

from components.supervision.platform_interface import WorkerStatus
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import DataError, PipelineError

_SERVERS = {"chief": 1, "worker": 1, "ps": 1}


def test_each_worker_starts_once_when_all_succeed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    supervise(make_launcher(tmp_path, "print('hello')", workers=3), Policy())
    assert list_starts(tmp_path) == ["0-0", "1-0", "2-0"]
    lines = capfd.readouterr().err.splitlines()
    assert sorted(lines) == ["[worker 0] hello", "[worker 1] hello", "[worker 2] hello"]


def test_the_message_names_the_worker_that_does_not_answer_its_peers(tmp_path: Path) -> None:
    """The peers notice a missing heartbeat within seconds; the worker itself keeps running."""
    script = """
    if task == 1:
        time.sleep(60)
    report("UnavailableError: heartbeat", lost_peer=True)
    """
    with pytest.raises(PipelineError, match=r"heartbeat \(no answer from worker 1\)"):
        supervise(make_launcher(tmp_path, script), Policy(max_restarts=0), skip_pause)


def test_all_workers_restart_after_one_is_killed(tmp_path: Path) -> None:
    script = """
    if attempt == 0 and task == 1: os.kill(os.getpid(), 9)
    if attempt == 0: time.sleep(1); report("UnavailableError: gone", lost_peer=True)
    """
    supervise(make_launcher(tmp_path, script), Policy(), pause=skip_pause)
    assert list_starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]


def test_an_error_of_a_worker_causes_no_restart_though_a_peer_fails_first(
    tmp_path: Path,
) -> None:
    script = """
    if task == 0: report("UnavailableError: gone", lost_peer=True)
    time.sleep(1)
    report("label is constant", hint="look", exit_code=3)
    """
    with pytest.raises(DataError, match="label is constant") as caught:
        supervise(make_launcher(tmp_path, script), Policy(), pause=skip_pause)
    assert caught.value.hint == "look"
    assert list_starts(tmp_path) == ["0-0", "1-0"]


def test_the_report_of_the_worker_that_raised_first_is_the_cause(tmp_path: Path) -> None:
    script = "report('nan in rows of another worker' if task == 0 else 'nan', echo=task == 0)"
    with pytest.raises(PipelineError, match=r"^nan$"):
        supervise(make_launcher(tmp_path, script), Policy(), pause=skip_pause)


def test_supervise_gives_up_when_restarts_bring_no_new_step(tmp_path: Path) -> None:
    pauses: list[float] = []
    script = "steps(7); os.kill(os.getpid(), 9)"
    with pytest.raises(PipelineError, match=r"2 restarts .* worker 0 was killed by signal 9"):
        supervise(make_launcher(tmp_path, script), Policy(max_restarts=2), pause=pauses.append)
    assert list_starts(tmp_path) == ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]
    assert pauses == [1, 2]


def test_a_restart_that_brought_new_steps_does_not_count(tmp_path: Path) -> None:
    script = """
    steps(10 * (attempt + 1))
    if attempt < 3: time.sleep(0.5); os.kill(os.getpid(), 9)
    """
    supervise(make_launcher(tmp_path, script), Policy(max_restarts=1), pause=skip_pause)
    assert len(list_starts(tmp_path)) == 8


def test_the_first_steps_after_failed_starts_count_as_progress(tmp_path: Path) -> None:
    """An attempt may end before its first step, for example because a port is taken."""
    script = """
    if attempt == 1: steps(5)
    if attempt < 2: time.sleep(0.5); os.kill(os.getpid(), 9)
    """
    supervise(make_launcher(tmp_path, script), Policy(max_restarts=1), pause=skip_pause)
    assert len(list_starts(tmp_path)) == 6


def test_hung_workers_are_restarted_and_training_workers_are_not(tmp_path: Path) -> None:
    script = """
    for step in range(12 if attempt == 0 else 1): steps(step); time.sleep(0.5)
    if attempt == 0: time.sleep(600)
    """
    started = time.monotonic()
    supervise(make_launcher(tmp_path, script), Policy(stall_seconds=4), pause=skip_pause)
    assert list_starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]
    assert time.monotonic() - started < 60


def test_a_phase_without_steps_gets_more_time_than_stall_seconds(tmp_path: Path) -> None:
    """At the start, and during the export of a worker whose peer has ended."""
    script = """
    time.sleep(3)
    steps(1)
    if task == 1: sys.exit()
    json.dump([1, 0], open(os.environ["PIPELINE_STEPS"], "w"))
    time.sleep(3)
    """
    supervise(make_launcher(tmp_path, script), Policy(stall_seconds=1.5), pause=skip_pause)
    assert list_starts(tmp_path) == ["0-0", "1-0"]


class Silent:
    """An attempt whose platform gives no answer for a while; its workers then work or hang."""

    def __init__(self, hangs: bool) -> None:
        self._hangs = hangs
        self._reads = 0

    def start(self) -> Silent:
        return self

    def read_statuses(self) -> list[WorkerStatus]:
        self._reads += 1
        if self._reads == 2:
            time.sleep(4)
        # The pod's log comes in its own time, a little later than the first answer.
        ticks = 1 if self._reads < 4 or self._hangs else self._reads
        is_done = self._reads > 20 and not self._hangs
        return [WorkerStatus("worker 0", 0 if is_done else None, steps=ticks, ticks=ticks)]

    def stop(self) -> None: ...


@pytest.mark.parametrize("hangs", [False, True])
def test_time_without_an_answer_of_the_platform_is_no_time_without_progress(hangs: bool) -> None:
    attempt, policy = Silent(hangs), Policy(max_restarts=0, stall_seconds=2)
    if not hangs:
        supervise(attempt, policy)
        return
    with pytest.raises(PipelineError, match="no worker made progress in 2 s"):
        supervise(attempt, policy)


def test_all_workers_restart_when_one_hangs_after_the_others_succeeded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = """
    steps(4 - task)
    if attempt == 0 and task == 1: time.sleep(600)
    """
    supervise(make_launcher(tmp_path, script), Policy(stall_seconds=4), pause=skip_pause)
    assert list_starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]
    assert "progress in 4 s: worker 0 at step 4, worker 1 at step 3; restart" in caplog.text


def test_servers_are_ended_when_their_chief_has_succeeded(tmp_path: Path) -> None:
    script = "time.sleep(1 if type_ == 'chief' else 600)"
    started = time.monotonic()
    supervise(make_launcher(tmp_path, script, tasks=_SERVERS), Policy())
    assert time.monotonic() - started < 60
    assert list_starts(tmp_path) == ["0-0", "chief0-0", "ps0-0"]
    assert not any(is_alive(int(path.read_text())) for path in tmp_path.iterdir())


@pytest.mark.parametrize(("lost", "name"), [("worker", "worker 0"), ("ps", "ps 0")])
def test_all_workers_restart_at_once_after_a_server_is_killed(
    tmp_path: Path, lost: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    script = f"""
    while len(os.listdir(folder)) < 3 * (attempt + 1): time.sleep(0.05)
    if attempt == 0 and type_ == "{lost}": os.kill(os.getpid(), 9)
    time.sleep(600 if attempt == 0 or type_ != "chief" else 0)
    """
    started = time.monotonic()
    supervise(make_launcher(tmp_path, script, tasks=_SERVERS), Policy(), pause=skip_pause)
    assert time.monotonic() - started < 60
    assert len(list_starts(tmp_path)) == 6
    assert f"{name} was killed by signal 9; restart 1" in caplog.text


def test_a_stopped_worker_is_killed_before_the_restart(tmp_path: Path) -> None:
    script = """
    if attempt == 0 and task == 0: os.kill(os.getpid(), 19)
    if attempt == 0: report("UnavailableError: no heartbeat", lost_peer=True)
    """
    supervise(make_launcher(tmp_path, script), Policy(), pause=skip_pause)
    assert not is_alive(int((tmp_path / "0-0").read_text()))
    assert list_starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]


def test_an_interrupt_ends_all_workers(tmp_path: Path) -> None:
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            supervise(make_launcher(tmp_path, "time.sleep(600)"), Policy())
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert [is_alive(int((tmp_path / name).read_text())) for name in ("0-0", "1-0")] == [False] * 2
