"""Processes that stay when their starter ends, and are found again."""

import sys
import time
from pathlib import Path

import psutil
import pytest

from deploy.sessions import Session, are_alive, end, read_state, start, start_all, write_state

CHILD = "import time; time.sleep(60)"
PARENT = f"""
import os, subprocess, sys
child = [sys.executable, "-c", {CHILD!r}]
subprocess.Popen(child, preexec_fn=os.setpgrp).wait()
"""
"""Its child is in a group of its own, as the processes of a pod are."""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    command = [sys.executable, "-c", PARENT]
    session = start("parent", command, tmp_path, tmp_path / "log")
    deadline = time.monotonic() + 30
    while len(session.members()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    return session


def test_the_state_file_finds_the_processes_again(session: Session, tmp_path: Path) -> None:
    write_state(tmp_path / "state.json", [session])
    found = read_state(tmp_path / "state.json")
    assert found == {"parent": session}
    assert found["parent"].is_alive()
    end(found.values())
    assert not session.is_alive()


def test_the_end_reaches_processes_whose_parent_was_killed(session: Session) -> None:
    members = session.members()
    assert len(members) == 2
    psutil.Process(session.pid).kill()
    end([session])
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in members)


def test_a_later_process_with_the_same_number_is_left_alone(session: Session) -> None:
    earlier = Session("earlier", session.pid, session.started - 100)
    assert not earlier.is_alive()
    end([earlier])
    assert session.is_alive()
    end([session])


def test_without_a_state_file_nothing_runs(tmp_path: Path) -> None:
    assert read_state(tmp_path / "state.json") == {}


def test_an_interrupted_start_leaves_what_it_started_in_the_state_file(tmp_path: Path) -> None:
    commands = {"first": [sys.executable, "-c", CHILD], "second": [str(tmp_path / "absent")]}
    with pytest.raises(FileNotFoundError):
        start_all(commands, tmp_path, tmp_path, tmp_path / "state.json")
    found = read_state(tmp_path / "state.json")
    assert [*found] == ["first"]
    assert are_alive(found.values())
    end(found.values())
    assert not are_alive(found.values())
    assert not are_alive([])
