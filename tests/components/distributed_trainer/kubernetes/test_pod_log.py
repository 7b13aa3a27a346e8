"""A pod's log is printed with the worker's name, and its step lines become progress."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cluster import FakeCluster

from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.pod_log import PodLog

_LINES = [
    "2026-01-01T00:00:01.000000001Z ##worker: step 3, tick 4",
    "2026-01-01T00:00:01.000000002Z [worker 0] trained",
    "2026-01-01T00:00:01.000000003Z Traceback: no module",
]


def test_lines_get_the_workers_name_once_and_step_lines_are_not_printed(
    cluster: FakeCluster, capfd: pytest.CaptureFixture[str]
) -> None:
    cluster.logs["trainer"] = list(_LINES)
    log = PodLog(Api.connect(), "trainer", "worker 0")
    log.finish(10)
    assert log.progress == (3, 4)
    lines = capfd.readouterr().err.splitlines()
    assert lines == ["[worker 0] trained", "[worker 0] Traceback: no module"]


def test_events_reach_the_trainers_file_of_events_once_and_are_not_printed(
    cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    event = '{"event": "warmup_too_long", "time": 1.5}'
    cluster.logs["trainer"] = [f"2026-01-01T00:00:01.000000001Z ##event: {event}"]
    PodLog(Api.connect(), "trainer", "worker 0").finish(10)
    assert events.read_text() == f"{event}\n"
    assert capfd.readouterr().err == ""


def test_a_missing_right_to_read_logs_is_kept_as_the_error(cluster: FakeCluster) -> None:
    cluster.rules = []
    log = PodLog(Api.connect(), "trainer", "worker 0")
    log.finish(10)
    assert log.error is not None
    assert "pods/log" in log.error.message
