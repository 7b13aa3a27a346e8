"""Runs a command of the command line in a process of its own.

The processes are forks of one that has imported what all commands need: of these tests, imports
took most of the time. `test_group.py` starts `python -m pipeline` itself.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["pipeline.cli", "pipeline.config", "pandas", "pyarrow.parquet"])


def command(*arguments: str, cwd: Path = ROOT) -> tuple[int | None, str]:
    """Returns the exit code, and what the command printed."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        given = (arguments, str(cwd), dict(os.environ), output.name)
        process = _FORKS.Process(target=_run, args=given)
        process.start()
        process.join()
        return process.exitcode, output.read()


def _run(arguments: tuple[str, ...], cwd: str, environment: dict[str, str], output: str) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    descriptor = os.open(output, os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    sys.argv[1:] = arguments
    from pipeline.cli import main

    main()
