"""A supervised process reports the exception that ended it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scripted_workers import skip_pause

from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from components.supervision.worker import TERMINATED
from pipeline.core.errors import PipelineError

_RAISING_CODE = {
    "class Stop(BaseException): pass\nraise Stop('enough')": "Stop: enough",
    "import sys\nsys.exit('enough')": "SystemExit: enough",
    "class Odd(Exception):\n def __str__(self): raise ValueError\nraise Odd": "Odd: no message",
    "raise ValueError('y' * 10_000_000)": "ValueError: yyy",
}


@pytest.mark.parametrize("code", _RAISING_CODE)
def test_any_exception_of_the_models_code_is_reported_and_causes_no_restart(code: str) -> None:
    work = f"""
from components.supervision.worker import run_supervised
def work(job):
    exec({code!r}, {{}})
run_supervised(work)
"""
    raising = ProcessLauncher("{}", {"worker": 1}, [sys.executable, "-c", work])
    with pytest.raises(PipelineError) as caught:
        supervise(raising, Policy(max_restarts=3), skip_pause)
    assert caught.value.message.startswith(_RAISING_CODE[code])
    assert len(caught.value.message) < 1000


def test_a_worker_ends_when_its_supervisor_closes_the_pipe() -> None:
    code = """
import time
from components.supervision.worker import run_supervised
run_supervised(lambda job: print(job, flush=True) or time.sleep(600))
"""
    worker = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(b"a job\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == b"a job\n"
    worker.stdin.close()
    assert worker.wait(timeout=30) == TERMINATED
