"""The harness, without an engine; test_worker_pool.py has it started by a pool."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_the_harness_ends_when_its_parent_closes_the_pipe() -> None:
    command = [sys.executable, "-m", "pipeline.runners.worker_harness", "127.0.0.1:1", "1-1"]
    result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=60)
    assert result.returncode == 1
