"""A terminal for the real command: a pseudo-terminal, and the screen it would show."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field

import pyte
from support import Project


@dataclass
class Session:
    """What a user saw in the terminal."""

    code: int = -1
    raw: str = ""
    title: str = ""
    cursor_hidden: bool = False
    lines: list[str] = field(default_factory=list)
    """The final screen, after the lines that scrolled away."""
    moments: list[str] = field(default_factory=list)
    """The screen after each change."""


def in_terminal(
    project: Project, *arguments: str, columns: int, rows: int = 30, **environment: str
) -> Session:
    """`python -m pipeline ...` in a terminal of a size."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    unset = ("CI", "NO_COLOR", "COLUMNS", "LINES")
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments],
        cwd=project.directory,
        env={k: v for k, v in os.environ.items() if k not in unset}
        | {"PYTHONPATH": str(project.code), "TERM": "xterm-256color", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    session = _watch(ours, columns, rows)
    session.code = process.wait()
    return session


def _watch(terminal: int, columns: int, rows: int) -> Session:
    session = Session()
    screen = pyte.HistoryScreen(columns, rows, history=5000)
    stream = pyte.ByteStream(screen)
    raw = b""
    while received := _read(terminal):
        raw += received
        stream.feed(received)
        session.moments.append("\n".join(line.rstrip() for line in screen.display).rstrip())
    os.close(terminal)
    above = ["".join(line[c].data for c in range(columns)) for line in screen.history.top]
    session.lines = [line.rstrip() for line in [*above, *screen.display]]
    session.raw = raw.decode()
    session.title, session.cursor_hidden = screen.title, screen.cursor.hidden
    return session


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux's way to say that the other end was closed.
        return b""
