"""An interrupted or killed run leaves nothing half done; the same command goes on from there."""

import os
import signal
import subprocess
import sys
import time

import pytest
from support import Project

pytestmark = pytest.mark.slow


def start_and_reach(project: Project, component: str) -> "subprocess.Popen[bytes]":
    """A run that has come to a component."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "run", "--config", "my.yaml", "--output", "out"],
        cwd=project.directory,
        env={**os.environ, "PYTHONPATH": str(project.code)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    words = f'"name": "{component}", "state": "running"'
    while process.poll() is None:
        events = sorted(project.directory.glob("out/logs/*/events.jsonl"))
        if events and words in events[-1].read_text():
            return process
        time.sleep(0.1)
    raise AssertionError(f"the run ended before {component}")


def working_processes(project: Project) -> list[str]:
    """The processes that have a file of this project open as their log."""
    found = []
    for link in os.listdir("/proc"):
        path = f"/proc/{link}/fd/1"
        if link.isdigit() and os.path.islink(path):
            try:
                target = os.readlink(path)
            except OSError:  # It has ended meanwhile.
                continue
            if target.startswith(str(project.directory)):
                found.append(link)
    return found


@pytest.mark.parametrize(
    ("component", "sign", "code"),
    [
        ("StatisticsGen", signal.SIGINT, 130),
        ("Transform", signal.SIGTERM, 130),
        ("Trainer", signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_the_same_command_goes_on(
    project: Project, component: str, sign: signal.Signals, code: int
) -> None:
    process = start_and_reach(project, component)
    process.send_signal(sign)
    assert process.wait(60) == code
    for _ in range(300):
        if not working_processes(project):
            break
        time.sleep(0.1)
    assert working_processes(project) == []
    assert not (project.serving / "served.json").exists()


def test_after_all_of_that_the_run_is_good(project: Project) -> None:
    result = project.run()
    assert result.code == 0, result.output
    assert result.states()["StatisticsGen"] == "cached"
    assert project.unfinished() == []
    listed = project.command("runs", "--output", project.output).output
    assert listed.count("interrupted") == 2
    assert listed.count("died") == 1
