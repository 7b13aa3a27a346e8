"""What is read from the JSON of a pod."""

from __future__ import annotations

from typing import Any

import pytest

from components.distributed_trainer.kubernetes import pod_status
from components.supervision.failure_report import FailureReport


def pod(state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    """Returns a pod with a second container, as an admission webhook may inject it."""
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
        # Evicted by its node, which reports nothing about the container.
        (pod(phase="Failed", reason="Evicted", message="low on memory"), True, -9, "low on memory"),
        (
            pod_status.mark_as_removed(pod({"running": {}}, phase="Running")),
            True,
            -9,
            "its pod was removed",
        ),
        (pod_status.mark_as_removed(pod(ended(3), phase="Failed")), True, 3, ""),
    ],
)
def test_start_exit_code_and_reason_are_read_from_the_pods_json(
    given: dict[str, Any], started: bool, code: int | None, reason: str
) -> None:
    assert pod_status.has_started(given) is started
    assert pod_status.read_exit_code(given) == code
    assert pod_status.read_end_reason(given) == reason


def test_the_report_is_read_from_the_termination_message() -> None:
    report = FailureReport("no such layer", "see model.layers", 2)
    assert pod_status.read_report(pod(ended(1, message=report.to_json()))) == report
    assert pod_status.read_report(pod(ended(1, message="Killed"))) is None
    assert pod_status.read_report(pod(ended(1))) is None
