"""The main process of a worker's pod: when it starts the worker, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from components.supervision.failure_report import FailureReport


def start(folder: Path, script: str, *more: str) -> subprocess.Popen[str]:
    """Starts the main process of the pod with index 0, whose peers have the `more` addresses."""
    (folder / "job").write_text("{}")
    places = (str(folder / "job"), str(folder / "message"))
    cluster = json.dumps({"worker": ["localhost:1", *more]})
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "components.distributed_trainer.kubernetes.pod_main", *places),
            *(sys.executable, "-c", f"import json, os, sys\n{script}"),
        ],
        env=os.environ | {"PIPELINE_CLUSTER": cluster, "JOB_COMPLETION_INDEX": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


SAYS_WHY = """
open(os.environ["PIPELINE_REPORT"], "w").write(json.dumps({"message": "no such layer"}))
sys.exit(1)
"""


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("print(sys.stdin.readline())", 0, None),
        (SAYS_WHY, 1, FailureReport("no such layer")),
        ("os.kill(os.getpid(), 9)", 137, None),
    ],
)
def test_a_pod_ends_with_the_exit_code_and_the_report_of_its_worker(
    script: str, code: int, message: FailureReport | None, tmp_path: Path
) -> None:
    process = start(tmp_path, script)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == code
    left = tmp_path / "message"
    assert (FailureReport.from_json(left.read_text()) if left.exists() else None) == message
    assert said.splitlines()[:1] == (["[worker 0] {}"] if code == 0 else [])


def test_a_pod_writes_the_epochs_of_its_worker_to_its_log(tmp_path: Path) -> None:
    script = """
from pipeline.core.events import TrainingProgress, emit
emit(TrainingProgress(1, 3, 2, 5, 0.9, None, 100.0))
emit(TrainingProgress(1, 3, 5, 5, 0.5, 0.6, 100.0))
"""
    said, _ = start(tmp_path, script).communicate(timeout=60)
    [line] = said.splitlines()
    event = json.loads(line.removeprefix("##event: "))
    assert (event["epoch"], event["loss"], event["eval_loss"]) == (1, 0.5, 0.6)


def test_a_pod_waits_until_the_names_of_its_peers_resolve(tmp_path: Path) -> None:
    """The name of a pod that has no node yet does not resolve."""
    process = start(tmp_path, "print('on')", "not-yet.invalid:2222")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("waiting for not-yet.invalid: ")
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    assert process.stdout.read() == ""
