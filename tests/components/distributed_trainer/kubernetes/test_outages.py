"""While the API is away, Kubernetes ends no workers of a Trainer that still waits for the API.

Time is simulated: the Trainer's requests, pauses and deadlines, for outages of every length that
begin at every moment between two renewals of the Job's deadline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import urllib3

from components.distributed_trainer.kubernetes import api as api_module
from components.distributed_trainer.kubernetes import attempt as attempt_module
from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.attempt import KubernetesAttempt
from components.distributed_trainer.kubernetes.manifests import make_pod_cluster
from pipeline.config import WorkersConfig
from pipeline.config.kubernetes.pods import RENEWALS
from pipeline.core.errors import PipelineError

_SLOWEST_SECONDS = 35.0
"""A request that nobody answers: 5 s to connect, and 30 s to wait for the answer."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class SimulatedApi(Api):
    """An API that is away for a while, and a Job that it ends after the Job's deadline."""

    def __init__(self, clock: Clock, workers: WorkersConfig, outage: range, hangs: bool) -> None:
        self.namespace = self._host = "team"
        self._patience_seconds = workers.patience_seconds
        self._clock, self._outage, self._hangs = clock, outage, hangs
        self.deadline = float(workers.abandoned_seconds)
        self.was_job_ended = False

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, str],
        timeout: urllib3.Timeout,
        preload_content: bool = True,
    ) -> Any:
        if self._outage.start <= self._clock.now < self._outage.stop:
            assert isinstance(timeout.total, float)
            self._clock.sleep(min(_SLOWEST_SECONDS, timeout.total) if self._hangs else 0.01)
            raise urllib3.exceptions.HTTPError("away")
        self._clock.sleep(0.1)
        # The controller needs the API too: it ends a late Job when the API is back.
        self.was_job_ended = self.was_job_ended or self._clock.now > self.deadline
        if method == "PATCH":
            assert body is not None
            self.deadline = float(body["spec"]["activeDeadlineSeconds"])
        answer = {"items": [], "status": {"startTime": "2026-01-01T00:00:00Z"}}
        return SimpleNamespace(status=200, data=json.dumps(answer))


def watch(monkeypatch: Any, workers: WorkersConfig, outage: range, hangs: bool) -> tuple[bool, Any]:
    """Returns whether the Trainer gave up, and the API."""
    clock = Clock()
    for module in (api_module, attempt_module):
        monkeypatch.setattr(module, "time", clock)
    api = SimulatedApi(clock, workers, outage, hangs)
    cluster = make_pod_cluster("job", {"worker": 1})
    attempt = KubernetesAttempt(api, "job", cluster, workers, created=0.0)
    try:
        while clock.now < outage.stop + workers.abandoned_seconds / RENEWALS:
            attempt.read_statuses()
            clock.sleep(0.5)
    except PipelineError:
        assert clock.now <= api.deadline
        return True, api
    return False, api


@pytest.mark.parametrize("hangs", [False, True], ids=["refused", "unanswered"])
@pytest.mark.parametrize("abandoned", [60, 600])
def test_kubernetes_ends_no_workers_while_their_trainer_waits(
    monkeypatch: pytest.MonkeyPatch, abandoned: int, hangs: bool
) -> None:
    workers = WorkersConfig(abandoned_seconds=abandoned, pending_seconds=1e9)
    patience = workers.patience_seconds
    interval = abandoned / RENEWALS
    for start in np.linspace(interval, 2 * interval, 7).astype(int):
        for seconds in np.linspace(patience - interval, abandoned + interval, 13).astype(int):
            outage = range(start, start + seconds)
            has_given_up, api = watch(monkeypatch, workers, outage, hangs)
            assert has_given_up or not api.was_job_ended, outage
            assert has_given_up or seconds <= patience + 2, outage
            slowest = _SLOWEST_SECONDS if hangs else 0
            assert not has_given_up or seconds > patience - slowest - 10, outage


def test_a_request_ends_with_the_patience_and_tries_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for hangs in (False, True):
        clock = Clock()
        monkeypatch.setattr(api_module, "time", clock)
        workers = WorkersConfig()
        api = SimulatedApi(clock, workers, range(10**6), hangs)
        with pytest.raises(PipelineError, match="cannot reach the Kubernetes API server"):
            api.get("jobs", "job")
        assert workers.patience_seconds <= clock.now <= workers.patience_seconds + 0.2


def test_a_renewal_that_is_sent_again_counts_from_then(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = WorkersConfig(pending_seconds=1e9)
    clock = Clock()
    monkeypatch.setattr(api_module, "time", clock)
    monkeypatch.setattr(attempt_module, "time", clock)
    api = SimulatedApi(clock, workers, range(61, 461), hangs=False)
    attempt = KubernetesAttempt(
        api, "job", make_pod_cluster("job", {"worker": 1}), workers, created=0.0
    )
    clock.now = 100.0
    attempt.read_statuses()
    assert clock.now > 460
    assert api.deadline >= 460 + workers.abandoned_seconds
