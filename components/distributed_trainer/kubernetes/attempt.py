"""The pods of one attempt, as the supervisor sees them."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from components.distributed_trainer.kubernetes import pod_status as pods
from components.distributed_trainer.kubernetes.api import Api, NotThereError, Object
from components.distributed_trainer.kubernetes.manifests import JOB_LABEL
from components.distributed_trainer.kubernetes.pod_log import PodLog
from components.supervision.cluster import Cluster, Task
from components.supervision.launcher import WorkerStatus
from pipeline.config import WorkersConfig
from pipeline.core.errors import ConfigError, PipelineError

_LOOK_SECONDS = 1.0
_GONE_SECONDS = 120.0
_LOG_SECONDS = 5.0
_RENEWALS = 5
"""How often the end of the pods is put off in the time after which they count as abandoned."""


class KubernetesAttempt:
    """The pods of one Job."""

    def __init__(self, api: Api, name: str, cluster: Cluster, workers: WorkersConfig) -> None:
        self._api = api
        self._name = name
        self._cluster = cluster
        self._workers = workers
        self._pods: dict[int, Object] = {}
        self._logs: dict[int, PodLog] = {}
        self._started = self._renewed = time.monotonic()
        self._looked = 0.0

    def look(self) -> Sequence[WorkerStatus]:
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._put_off_end(now)
            self._update()
            self._check_waiting(now)
            self._looked = time.monotonic()
        return [self._status(index, task) for index, task in enumerate(self._cluster.tasks)]

    def stop(self) -> None:
        deadline = time.monotonic() + _LOG_SECONDS
        for index, log in self._logs.items():
            if pods.exit_code(self._pods[index]) is not None:
                log.finish(max(deadline - time.monotonic(), 0))
        try:
            end_job(self._api, self._name)
        except PipelineError as error:
            # Not instead of the error that may have brought us here.
            logging.warning("%s: its pods were not ended: %s", self._name, error)
        for log in self._logs.values():
            log.finish(0)

    def _put_off_end(self, now: float) -> None:
        """The Job has a deadline that moves on as long as this process lives."""
        seconds = self._workers.abandoned_seconds
        if now - self._renewed < seconds / _RENEWALS:
            return
        self._renewed = now
        deadline = int(now - self._started) + seconds
        try:
            self._api.merge("jobs", self._name, {"spec": {"activeDeadlineSeconds": deadline}})
        except NotThereError:
            return  # Somebody has deleted it; its pods tell.

    def _update(self) -> None:
        """Asks for all pods: a list has no connection that could be lost unnoticed."""
        listed = self._api.find("pods", labelSelector=f"{JOB_LABEL}={self._name}")
        by_uid = {pod["metadata"]["uid"]: pod for pod in listed}
        for pod in listed:
            # Only the first of each index: one that replaces it is no part of this attempt.
            self._pods.setdefault(pods.index_of(pod), pod)
        for index, pod in self._pods.items():
            self._pods[index] = by_uid.get(pod["metadata"]["uid"]) or pods.removed(pod)
            if index not in self._logs and pods.has_started(self._pods[index]):
                task = self._cluster.tasks[index]
                self._logs[index] = PodLog(self._api, pod["metadata"]["name"], task.name)
        for log in self._logs.values():
            if log.refusal is not None:
                raise log.refusal

    def _check_waiting(self, now: float) -> None:
        if now - self._started < self._workers.pending_seconds:
            return
        for index, task in enumerate(self._cluster.tasks):
            pod = self._pods.get(index)
            if pod is None or not pods.has_started(pod):
                raise ConfigError(
                    f"{task.name} has not started in {self._workers.pending_seconds:g} s: "
                    f"{pods.what_holds_up(pod, self._events(pod))}",
                    "kubeflow.workers says what the pods ask for and, as pending_seconds, how "
                    "long they may wait",
                )

    def _events(self, pod: Object | None) -> list[Object]:
        name = pod["metadata"]["name"] if pod else self._name
        return self._api.find("events", fieldSelector=f"involvedObject.name={name}")

    def _status(self, index: int, task: Task) -> WorkerStatus:
        pod, log = self._pods.get(index), self._logs.get(index)
        serves = self._cluster.serves(task)
        if pod is None or not pods.has_started(pod):
            return WorkerStatus(task.name, waits=True, serves=serves)
        steps, ticks = log.progress if log else (-1, 0)
        code = pods.exit_code(pod)
        return WorkerStatus(
            task.name, code, pods.report(pod), steps, ticks, serves, reason=pods.reason(pod)
        )


def end_job(api: Api, job: str) -> None:
    """Deletes a Job and waits until its pods are gone, which are deleted before it."""
    deadline = time.monotonic() + _GONE_SECONDS
    try:
        api.delete("jobs", job)
        while time.monotonic() < deadline:
            api.get("jobs", job)
            time.sleep(_LOOK_SECONDS / 2)
    except NotThereError:
        return
    # Of a node that does not answer: nothing ends them, but they have lost their peers too.
    logging.warning("%s: some of its pods are still there after %g s", job, _GONE_SECONDS)
