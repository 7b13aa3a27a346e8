"""Processes that outlive the command that started them, found again by a state file.

Each process leads a session of its own: all that it starts belongs to this session, also after the
leader was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from pipeline.core.errors import PipelineError
from pipeline.core.files import write_text_atomically

_GRACE_SECONDS = 8.0
_POLL_SECONDS = 0.1
_READY_SECONDS = 300.0
_LOG_LINES = 12


@dataclass(frozen=True)
class Session:
    """A process that leads a session. The time of its start tells it from a later process."""

    name: str
    pid: int
    started: float

    def is_alive(self) -> bool:
        """Returns whether the leader runs."""
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(self.pid)
            return self._is_same(process) and process.status() != psutil.STATUS_ZOMBIE
        return False

    def members(self) -> list[psutil.Process]:
        """Returns the running processes of the session."""
        with contextlib.suppress(psutil.NoSuchProcess):
            if not self._is_same(psutil.Process(self.pid)):
                return []  # Another process has the number today.
        return [p for p in psutil.process_iter() if _session_of(p) == self.pid]

    def _is_same(self, process: psutil.Process) -> bool:
        return bool(abs(process.create_time() - self.started) < 1)


def start(name: str, command: list[str], directory: Path, log: Path) -> Session:
    """Starts a command that stays when this process ends; its output goes to the log."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Session(name, process.pid, psutil.Process(process.pid).create_time())


def start_all(
    commands: Mapping[str, list[str]], directory: Path, logs: Path, state: Path
) -> dict[str, Session]:
    """Starts a program whose parts are commands by name, each with a log NAME.log in `logs`."""
    started: dict[str, Session] = {}
    for name, command in commands.items():
        started[name] = start(name, command, directory, logs / f"{name}.log")
        # After each start: a later command must find what an interrupted one has started.
        write_state(state, started.values())
    return started


def are_alive(sessions: Collection[Session]) -> bool:
    """Whether there are sessions, and the leader of each one runs."""
    return bool(sessions) and all(session.is_alive() for session in sessions)


def wait_until_ready(
    program: str, running: Mapping[str, Session], is_ready: Callable[[], bool], logs: Path
) -> None:
    """Waits for a program whose parts are sessions, each with a log NAME.log in `logs`.

    Raises:
      PipelineError: a part ended, or the program is not ready after five minutes.
    """
    deadline = time.monotonic() + _READY_SECONDS
    while not is_ready():
        ended = [name for name, session in running.items() if not session.is_alive()]
        if ended or time.monotonic() > deadline:
            log = logs / f"{ended[0] if ended else next(iter(running))}.log"
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            what = f"{ended[0]} ended" if ended else f"not ready after {_READY_SECONDS:.0f} s"
            raise PipelineError(f"{program} did not start: {what}", "\n".join(lines))
        time.sleep(_POLL_SECONDS)


def end(sessions: Collection[Session]) -> None:
    """Ends the processes of the sessions: with SIGTERM, and after some seconds with SIGKILL."""
    for number, seconds in ((signal.SIGTERM, _GRACE_SECONDS), (signal.SIGKILL, _GRACE_SECONDS)):
        for process in _members(sessions):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        deadline = time.monotonic() + seconds
        while _members(sessions) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)


def write_state(file: Path, sessions: Collection[Session]) -> None:
    """Writes the sessions for later commands."""
    content = {session.name: asdict(session) for session in sessions}
    write_text_atomically(file, json.dumps(content, indent=2) + "\n", durable=False)


def read_state(file: Path) -> dict[str, Session]:
    """Returns the recorded sessions by their names; none without the file."""
    if not file.exists():
        return {}
    content = json.loads(file.read_text(encoding="utf-8"))
    return {name: Session(**fields) for name, fields in content.items()}


def _members(sessions: Collection[Session]) -> list[psutil.Process]:
    found = [process for session in sessions for process in session.members()]
    return [process for process in found if not _is_zombie(process)]


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _session_of(process: psutil.Process) -> int | None:
    try:
        return os.getsid(process.pid)
    except ProcessLookupError:
        return None
