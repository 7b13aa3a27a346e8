"""What the JSON of a pod says of the worker in it."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_template import CONTAINER
from components.supervision.failure_report import Report

_INDEX = "batch.kubernetes.io/job-completion-index"
_TELLS_NOTHING = ("Completed", "Error")


def index_of(pod: Object) -> int:
    """The place of the pod in its Job."""
    return int(pod["metadata"]["annotations"][_INDEX])


def removed(pod: Object) -> Object:
    """The same pod, of which Kubernetes no longer knows: as it ended, if it had."""
    if exit_code(pod) is not None:
        return pod
    return {**pod, "status": {"phase": "Failed", "message": "its pod was removed"}}


def has_started(pod: Object) -> bool:
    """Whether the worker is at work, or has been."""
    return exit_code(pod) is not None or "running" in _state(pod)


def exit_code(pod: Object) -> int | None:
    """None while the worker is at work; negative, the signal that killed it."""
    terminated = _state(pod).get("terminated")
    if terminated is not None:
        code = int(terminated["exitCode"])
        return 128 - code if code > 128 else code
    # Without a word of the container: its node has put the pod out, or is gone.
    return -signal.SIGKILL if pod["status"].get("phase") == "Failed" else None


def reason(pod: Object) -> str:
    """Why Kubernetes has ended the pod, or nothing where the worker ended by itself."""
    if not exit_code(pod):
        return ""
    status = pod["status"]
    disrupted = _condition(pod, "DisruptionTarget", "True").get("message")
    ended = _state(pod).get("terminated", {}).get("reason", "")
    told = disrupted or status.get("message") or status.get("reason") or ended
    return "" if told in _TELLS_NOTHING else str(told)


def report(pod: Object) -> Report | None:
    """What the worker said of its failure."""
    message = _state(pod).get("terminated", {}).get("message", "")
    try:
        return Report.from_json(message)
    except (ValueError, TypeError):
        return None


def what_holds_up(pod: Object | None, events: Sequence[Object]) -> str:
    """Why a pod has not started: by its own state, or the last warning about it or its Job."""
    if pod is not None:
        unscheduled = _condition(pod, "PodScheduled", "False").get("message")
        waiting = _state(pod).get("waiting", {})
        if unscheduled:
            return str(unscheduled)
        if "message" in waiting:
            return f"{waiting['reason']}: {waiting['message']}"
    warnings = [event for event in events if event.get("type") == "Warning"]
    if warnings:
        return f"{warnings[-1].get('reason')}: {warnings[-1].get('message')}"
    return "Kubernetes does not say why"


def _state(pod: Object) -> Object:
    statuses = pod["status"].get("containerStatuses", [])
    return next((s.get("state", {}) for s in statuses if s["name"] == CONTAINER), {})


def _condition(pod: Object, kind: str, value: str) -> Object:
    conditions = pod["status"].get("conditions", [])
    return next((c for c in conditions if (c["type"], c["status"]) == (kind, value)), {})
