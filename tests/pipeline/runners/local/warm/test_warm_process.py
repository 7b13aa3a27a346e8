"""Runs that are forks of one process give the results of runs in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from components.served_model.same_model import is_same_saved_model

ROOT = Path(__file__).parents[5]
pytestmark = [pytest.mark.slow, pytest.mark.long]


def start(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts a run on the sample of penguins."""
    fixed = ("--config", "configs/penguins.yaml", "--set", "training.epochs=2")
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", "run", *fixed, "--output", str(directory), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def find_parent(directory: Path) -> int | None:
    """Returns the id of the warm process whose fork ran the newest run."""
    log = sorted(directory.glob("logs/*/run.log"))[-1].read_text()
    found = re.search("This process is a fork of the warm process ([0-9]+)", log)
    return int(found[1]) if found else None


def find_model(directory: Path) -> str:
    [version] = (path for path in (directory / "serving").iterdir() if path.name.isdigit())
    return str(version)


def test_forks_give_the_models_of_processes_of_their_own(caches: Path, tmp_path: Path) -> None:
    alone, first, last = (tmp_path / name for name in ("alone", "first", "last"))
    process = start(alone)
    output, _ = process.communicate()
    assert "Pushed:" in output
    assert "warm process" not in output
    assert find_parent(alone) is None

    process = start(first, "--keep-warm", "5")
    output, _ = process.communicate()
    told = re.search(
        r"^A warm process waits 5 minutes for the next run, and holds [0-9.]+ [MG]B of memory: "
        r"`kill ([0-9]+)` ends it\.$",
        output,
        re.MULTILINE,
    )
    assert told, output
    warm_process = int(told[1])
    assert warm_process == find_parent(first)
    try:
        # The end of a fork is not that of the warm process.
        process = start(last, "--keep-warm", "5")
        while not list(last.glob("logs/*/events.jsonl")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        assert process.returncode == 130, output

        process = start(last, "--keep-warm", "5")
        output, _ = process.communicate()
        assert process.returncode == 0, output
        assert find_parent(last) == warm_process
        for directory in (first, last):
            assert is_same_saved_model(find_model(alone), find_model(directory), same_key=True)
    finally:
        os.kill(warm_process, signal.SIGTERM)
