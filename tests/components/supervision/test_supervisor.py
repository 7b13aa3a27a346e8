"""The supervisor over real processes, in which Python scripts play the trainer's part."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import DataError, PipelineError

PRELUDE = """
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
"""


def launcher(folder: Path, script: str, workers: int = 2) -> ProcessLauncher:
    command = [sys.executable, "-c", PRELUDE + textwrap.dedent(script)]
    return ProcessLauncher(json.dumps(str(folder)), {"worker": workers}, command)


def servers_launcher(folder: Path, script: str) -> ProcessLauncher:
    command = [sys.executable, "-c", PRELUDE + textwrap.dedent(script)]
    tasks = {"chief": 1, "worker": 1, "ps": 1}
    return ProcessLauncher(json.dumps(str(folder)), tasks, command)


def starts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def no_pause(_: float) -> None:
    pass


def test_all_workers_run_once_where_nothing_happens(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    supervise(launcher(tmp_path, "print('hello')", workers=3), Policy())
    assert starts(tmp_path) == ["0-0", "1-0", "2-0"]
    lines = capfd.readouterr().err.splitlines()
    assert sorted(lines) == ["[worker 0] hello", "[worker 1] hello", "[worker 2] hello"]


class Ended(subprocess.Popen[bytes]):
    """A process that has ended before anybody can write to it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.wait()


def test_a_worker_that_ends_before_it_reads_its_job_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", Ended)
    died = ProcessLauncher("{}", {"worker": 1}, ["sh", "-c", "exit 3"])
    with pytest.raises(PipelineError, match="worker 0 ended with 3"):
        supervise(died, Policy(max_restarts=0), no_pause)


def test_a_report_that_was_cut_is_none(tmp_path: Path) -> None:
    script = """
    open(os.environ["PIPELINE_REPORT"], "w").write('{"message": "tr')
    os._exit(143)
    """
    with pytest.raises(PipelineError, match="worker 0 ended with 143"):
        supervise(launcher(tmp_path, script, workers=1), Policy(max_restarts=0), no_pause)


def test_whoever_gives_the_others_no_answer_is_named(tmp_path: Path) -> None:
    """They notice within seconds; it goes on, or stands still, and says nothing."""
    script = """
    if task == 1:
        time.sleep(60)
    report("UnavailableError: heartbeat", lost_peer=True)
    """
    with pytest.raises(PipelineError, match=r"heartbeat \(no answer from worker 1\)"):
        supervise(launcher(tmp_path, script), Policy(max_restarts=0), no_pause)


WHAT_MODELS_RAISE = {
    "class Stop(BaseException): pass\nraise Stop('enough')": "Stop: enough",
    "import sys\nsys.exit('enough')": "SystemExit: enough",
    "class Odd(Exception):\n def __str__(self): raise ValueError\nraise Odd": "Odd: no message",
    "raise ValueError('y' * 10_000_000)": "ValueError: yyy",
}


@pytest.mark.parametrize("code", WHAT_MODELS_RAISE)
def test_whatever_the_models_code_raises_is_told_and_not_tried_again(code: str) -> None:
    work = f"""
from components.supervision.worker import work_supervised
def work(job):
    exec({code!r}, {{}})
work_supervised(work)
"""
    raising = ProcessLauncher("{}", {"worker": 1}, [sys.executable, "-c", work])
    with pytest.raises(PipelineError) as caught:
        supervise(raising, Policy(max_restarts=3), no_pause)
    assert caught.value.message.startswith(WHAT_MODELS_RAISE[code])
    assert len(caught.value.message) < 1000


def test_each_worker_knows_all_addresses_and_its_own_index(tmp_path: Path) -> None:
    script = "open(f'{folder}/config{task}', 'w').write(os.environ['TF_CONFIG'])"
    supervise(launcher(tmp_path, script), Policy())
    one, other = (json.loads((tmp_path / f"config{i}").read_text()) for i in range(2))
    assert one["cluster"] == other["cluster"]
    assert len(set(one["cluster"]["worker"])) == 2
    assert [c["task"] for c in (one, other)] == [
        {"type": "worker", "index": 0},
        {"type": "worker", "index": 1},
    ]


def test_a_killed_worker_restarts_all(tmp_path: Path) -> None:
    script = """
    if attempt == 0 and task == 1: os.kill(os.getpid(), 9)
    if attempt == 0: time.sleep(1); report("UnavailableError: gone", lost_peer=True)
    """
    supervise(launcher(tmp_path, script), Policy(), pause=no_pause)
    assert starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]


def test_an_own_error_is_not_tried_again_though_a_peer_noticed_first(tmp_path: Path) -> None:
    script = """
    if task == 0: report("UnavailableError: gone", lost_peer=True)
    time.sleep(1)
    report("label is constant", hint="look", exit_code=3)
    """
    with pytest.raises(DataError, match="label is constant") as caught:
        supervise(launcher(tmp_path, script), Policy(), pause=no_pause)
    assert caught.value.hint == "look"
    assert starts(tmp_path) == ["0-0", "1-0"]


def test_who_had_the_error_is_believed_before_who_saw_it_of_another(tmp_path: Path) -> None:
    script = "report('nan in rows of another worker' if task == 0 else 'nan', echo=task == 0)"
    with pytest.raises(PipelineError, match=r"^nan$"):
        supervise(launcher(tmp_path, script), Policy(), pause=no_pause)


def test_it_gives_up_when_restarts_gain_nothing(tmp_path: Path) -> None:
    pauses: list[float] = []
    script = "steps(7); os.kill(os.getpid(), 9)"
    with pytest.raises(PipelineError, match=r"2 restarts .* worker 0 was killed by signal 9"):
        supervise(launcher(tmp_path, script), Policy(max_restarts=2), pause=pauses.append)
    assert starts(tmp_path) == ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]
    assert pauses == [1, 2]


def test_a_restart_that_gained_steps_does_not_count(tmp_path: Path) -> None:
    script = """
    steps(10 * (attempt + 1))
    if attempt < 3: time.sleep(0.5); os.kill(os.getpid(), 9)
    """
    supervise(launcher(tmp_path, script), Policy(max_restarts=1), pause=no_pause)
    assert len(starts(tmp_path)) == 8


def test_the_first_steps_are_a_gain_too(tmp_path: Path) -> None:
    """Of attempts that end before their first step, as on a port that is taken."""
    script = """
    if attempt == 1: steps(5)
    if attempt < 2: time.sleep(0.5); os.kill(os.getpid(), 9)
    """
    supervise(launcher(tmp_path, script), Policy(max_restarts=1), pause=no_pause)
    assert len(starts(tmp_path)) == 6


def test_hung_workers_are_restarted_and_one_that_moves_is_not(tmp_path: Path) -> None:
    script = """
    for step in range(12): steps(step); time.sleep(0.5)
    if attempt == 0: time.sleep(600)
    """
    started = time.monotonic()
    supervise(launcher(tmp_path, script), Policy(stall_seconds=4), pause=no_pause)
    assert starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]
    assert time.monotonic() - started < 60


def test_where_no_steps_are_made_there_is_more_time(tmp_path: Path) -> None:
    """At the start, and in the export of one whose peer has ended."""
    script = """
    time.sleep(3)
    steps(1)
    if task == 1: sys.exit()
    json.dump([1, 0], open(os.environ["PIPELINE_STEPS"], "w"))
    time.sleep(3)
    """
    supervise(launcher(tmp_path, script), Policy(stall_seconds=1.5), pause=no_pause)
    assert starts(tmp_path) == ["0-0", "1-0"]


def test_one_that_hangs_when_the_others_are_done_restarts_all(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = """
    steps(4 - task)
    if attempt == 0 and task == 1: time.sleep(600)
    """
    supervise(launcher(tmp_path, script), Policy(stall_seconds=4), pause=no_pause)
    assert starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]
    assert "any further in 4 s: worker 0 at step 4, worker 1 at step 3; restart" in caplog.text


def test_servers_end_with_their_chief(tmp_path: Path) -> None:
    script = "time.sleep(1 if type_ == 'chief' else 600)"
    started = time.monotonic()
    supervise(servers_launcher(tmp_path, script), Policy())
    assert time.monotonic() - started < 60
    assert starts(tmp_path) == ["0-0", "chief0-0", "ps0-0"]
    assert not any(is_alive(int(path.read_text())) for path in tmp_path.iterdir())


@pytest.mark.parametrize(("lost", "name"), [("worker", "worker 0"), ("ps", "ps 0")])
def test_a_lost_server_restarts_all_at_once(
    tmp_path: Path, lost: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    script = f"""
    while len(os.listdir(folder)) < 3 * (attempt + 1): time.sleep(0.05)
    if attempt == 0 and type_ == "{lost}": os.kill(os.getpid(), 9)
    time.sleep(600 if attempt == 0 or type_ != "chief" else 0)
    """
    started = time.monotonic()
    supervise(servers_launcher(tmp_path, script), Policy(), pause=no_pause)
    assert time.monotonic() - started < 60
    assert len(starts(tmp_path)) == 6
    assert f"{name} was killed by signal 9; restart 1" in caplog.text


def test_a_stopped_worker_is_killed_with_its_attempt(tmp_path: Path) -> None:
    script = """
    if attempt == 0 and task == 0: os.kill(os.getpid(), 19)
    if attempt == 0: report("UnavailableError: no heartbeat", lost_peer=True)
    """
    supervise(launcher(tmp_path, script), Policy(), pause=no_pause)
    assert not is_alive(int((tmp_path / "0-0").read_text()))
    assert starts(tmp_path) == ["0-0", "0-1", "1-0", "1-1"]


def test_an_interrupt_leaves_no_worker_behind(tmp_path: Path) -> None:
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            supervise(launcher(tmp_path, "time.sleep(600)"), Policy())
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert [is_alive(int((tmp_path / name).read_text())) for name in ("0-0", "1-0")] == [False] * 2
