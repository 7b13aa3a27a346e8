"""A real server in real processes, for the tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import requests

ROOT = Path(__file__).parents[2]
_START_SECONDS = 120


class RunningServer:
    """`python -m pipeline serve` on a free port; ends with the context."""

    def __init__(self, *arguments: str | Path) -> None:
        command = [sys.executable, "-m", "pipeline", "serve", "--port", "0", *map(str, arguments)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self.session = requests.Session()
        # No proxy, and no certificates of this machine.
        self.session.trust_env = False
        threading.Thread(target=self._read, daemon=True).start()
        self.wait_for(lambda: self.address or self.process.poll() is not None)
        assert self.address, self.output

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def output(self) -> str:
        return "".join(self.lines)

    @property
    def address(self) -> str:
        found = re.search(r"at (https?://\S+)", self.output)
        return found[1] if found else ""

    def __enter__(self) -> RunningServer:
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends the server and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)

    def wait_for(self, condition: Callable[[], Any]) -> None:
        """Waits until the condition is true."""
        until = time.monotonic() + _START_SECONDS
        while not condition():
            assert time.monotonic() < until, self.output
            time.sleep(0.05)

    def workers(self) -> list[psutil.Process]:
        children = psutil.Process(self.process.pid).children()
        return [p for p in children if "serving.processes.worker" in " ".join(_read_command(p))]

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(self.address + path, timeout=60, **options)

    def post(self, path: str, **options: Any) -> requests.Response:
        return self.session.post(self.address + path, timeout=60, **options)

    def predict(self, *rows: Any, **fields: Any) -> requests.Response:
        body = {"instances": list(rows), **fields} if rows else fields
        return self.post("/v1/models/tiny:predict", json=body)


def _read_command(process: psutil.Process) -> list[str]:
    """Returns the command line of a process, empty if it ends meanwhile."""
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []
