"""What the JSON of a pod is read as, and what the pod's own process does before the worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from components.distributed_trainer.kubernetes import pod_status as pods
from components.distributed_trainer.kubernetes.step_lines import read_steps, steps_line
from components.supervision.failure_report import Report


def pod(state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    """With the container of another, which something in the cluster put beside ours."""
    statuses = [{"name": "proxy", "state": {"running": {}}}]
    if state is not None:
        statuses.append({"name": "worker", "state": state})
    return {"metadata": {"name": "p"}, "status": {**status, "containerStatuses": statuses}}


def ended(code: int, **fields: str) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, **fields}}


DISRUPTED = [{"type": "DisruptionTarget", "status": "True", "message": "preempted by a Job"}]


@pytest.mark.parametrize(
    ("given", "started", "code", "reason"),
    [
        (pod(phase="Pending"), False, None, ""),
        (pod({"waiting": {"reason": "ContainerCreating"}}, phase="Pending"), False, None, ""),
        (pod({"running": {}}, phase="Running"), True, None, ""),
        (pod(ended(0, reason="Completed"), phase="Succeeded"), True, 0, ""),
        (pod(ended(1, reason="Error"), phase="Failed"), True, 1, ""),
        (pod(ended(137, reason="OOMKilled"), phase="Failed"), True, -9, "OOMKilled"),
        (
            pod(ended(143, reason="Error"), phase="Failed", conditions=DISRUPTED),
            True,
            -15,
            "preempted by a Job",
        ),
        # Put out by its node, which tells nothing of the container.
        (pod(phase="Failed", reason="Evicted", message="low on memory"), True, -9, "low on memory"),
        (pods.removed(pod({"running": {}}, phase="Running")), True, -9, "its pod was removed"),
        (pods.removed(pod(ended(3), phase="Failed")), True, 3, ""),
    ],
)
def test_how_a_worker_is(
    given: dict[str, Any], started: bool, code: int | None, reason: str
) -> None:
    assert pods.has_started(given) is started
    assert pods.exit_code(given) == code
    assert pods.reason(given) == reason


def test_a_report_comes_by_the_message_of_the_container() -> None:
    report = Report("no such layer", "see model.layers", 2)
    assert pods.report(pod(ended(1, message=report.to_json()))) == report
    assert pods.report(pod(ended(1, message="Killed"))) is None
    assert pods.report(pod(ended(1))) is None


@pytest.mark.parametrize("text", ["a" * 9000, "\x1b" * 9000, "ä" * 5000])
def test_a_report_fits_where_it_has_to(text: str) -> None:
    told = Report(text, text, 3).to_json(4096)
    assert 3000 < len(told.encode()) <= 4096
    report = Report.from_json(told)
    assert (report.exit_code, report.lost_peer) == (3, False)
    assert report.message.startswith(text[:100])


def test_steps_are_told_by_lines_that_no_other_line_is_taken_for() -> None:
    assert read_steps(steps_line(120, 7)) == (120, 7)
    assert read_steps(steps_line(-1, 0)) == (-1, 0)
    assert read_steps("[worker 0] " + steps_line(1, 2)) is None


def start(folder: Path, script: str, *more: str) -> subprocess.Popen[str]:
    """The process of a pod of index 0, with peers of these addresses."""
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
        (SAYS_WHY, 1, Report("no such layer")),
        ("os.kill(os.getpid(), 9)", 137, None),
    ],
)
def test_a_pod_ends_as_its_worker(
    script: str, code: int, message: Report | None, tmp_path: Path
) -> None:
    process = start(tmp_path, script)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == code
    left = tmp_path / "message"
    assert (Report.from_json(left.read_text()) if left.exists() else None) == message
    assert said.splitlines()[:1] == (["[worker 0] {}"] if code == 0 else [])


def test_a_pod_waits_for_the_names_of_the_others(tmp_path: Path) -> None:
    """The names of pods that have no node yet resolve to nothing."""
    process = start(tmp_path, "print('on')", "not-yet.invalid:2222")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("waiting for not-yet.invalid: ")
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    assert process.stdout.read() == ""
