"""Reads the state of a worker from its pod's JSON."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_template import CONTAINER
from components.supervision.failure_report import FailureReport

_INDEX = "batch.kubernetes.io/job-completion-index"
_EMPTY_REASONS = ("Completed", "Error")
"""Kubernetes gives these reasons for every container that ended by itself."""


def read_index(pod: Object) -> int:
    """Returns the pod's index in its Job."""
    return int(pod["metadata"]["annotations"][_INDEX])


def mark_as_removed(pod: Object) -> Object:
    """Returns a pod that Kubernetes no longer lists: as failed, unless it had ended before."""
    if read_exit_code(pod) is not None:
        return pod
    return {**pod, "status": {"phase": "Failed", "message": "its pod was removed"}}


def has_started(pod: Object) -> bool:
    """Whether the worker runs or has ended."""
    return read_exit_code(pod) is not None or "running" in _read_state(pod)


def read_exit_code(pod: Object) -> int | None:
    """Returns None before the worker's end; a negative number is the signal that killed it."""
    terminated = _read_state(pod).get("terminated")
    if terminated is not None:
        code = int(terminated["exitCode"])
        return 128 - code if code > 128 else code
    # A failed pod without a container's end: its node has evicted the pod, or is gone.
    return -signal.SIGKILL if pod["status"].get("phase") == "Failed" else None


def read_end_reason(pod: Object) -> str:
    """Returns why Kubernetes ended the pod, or an empty string if the worker ended by itself."""
    if not read_exit_code(pod):
        return ""
    status = pod["status"]
    disrupted = _find_condition(pod, "DisruptionTarget", "True").get("message")
    ended = _read_state(pod).get("terminated", {}).get("reason", "")
    reason = disrupted or status.get("message") or status.get("reason") or ended
    return "" if reason in _EMPTY_REASONS else str(reason)


def read_report(pod: Object) -> FailureReport | None:
    """Returns the worker's report from the termination message, or None if there is no report."""
    message = _read_state(pod).get("terminated", {}).get("message", "")
    try:
        return FailureReport.from_json(message)
    except (ValueError, TypeError):
        return None


def explain_pending(pod: Object | None, events: Sequence[Object]) -> str:
    """Returns why a pod has not started: from its own state, else from the last warning.

    `pod` is None if Kubernetes has not made the pod. `events` are those about the pod or its Job.
    """
    if pod is not None:
        unscheduled = _find_condition(pod, "PodScheduled", "False").get("message")
        waiting = _read_state(pod).get("waiting", {})
        if unscheduled:
            return str(unscheduled)
        if "message" in waiting:
            return f"{waiting['reason']}: {waiting['message']}"
    warnings = [event for event in events if event.get("type") == "Warning"]
    if warnings:
        return f"{warnings[-1].get('reason')}: {warnings[-1].get('message')}"
    return "Kubernetes does not say why"


def _read_state(pod: Object) -> Object:
    """Returns the state of the worker's container; other containers may be injected into a pod."""
    statuses = pod["status"].get("containerStatuses", [])
    return next((s.get("state", {}) for s in statuses if s["name"] == CONTAINER), {})


def _find_condition(pod: Object, kind: str, value: str) -> Object:
    """Returns the condition of this type and status, or an empty object."""
    conditions = pod["status"].get("conditions", [])
    return next((c for c in conditions if (c["type"], c["status"]) == (kind, value)), {})
