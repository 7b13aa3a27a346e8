"""One attempt of a training whose workers are the pods of one Kubernetes Job."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from components.distributed_trainer.kubernetes import pod_status
from components.distributed_trainer.kubernetes.api import Api, NotFoundError, Object
from components.distributed_trainer.kubernetes.manifests import JOB_LABEL
from components.distributed_trainer.kubernetes.pod_log import PodLog
from components.supervision.cluster import Cluster, Task
from components.supervision.platform_interface import WorkerStatus
from pipeline.config import WorkersConfig
from pipeline.config.kubernetes.pods import RENEWALS
from pipeline.core.errors import ConfigError, PipelineError

_POLL_SECONDS = 1.0
"""The pause between two requests for the pods. The supervisor asks more often and then gets the
last answer, which keeps the load on the API server low."""
_DELETION_SECONDS = 120.0
"""How long the deletion of a Job may take. It exceeds the pods' grace period by far; only pods of a
node that does not answer take longer."""
_LOG_SECONDS = 5.0
"""How long the ended pods' last log lines are waited for, all pods together."""


class KubernetesAttempt:
    """The pods of one Job, for the supervisor."""

    def __init__(
        self,
        api: Api,
        name: str,
        cluster: Cluster,
        workers: WorkersConfig,
        created: float | None = None,
    ) -> None:
        """Begins to look after the pods.

        `created` is a time before the Job's start, by the monotonic clock: the answer that tells
        of the Job may have been lost for minutes.
        """
        self._api = api
        self._name = name
        self._cluster = cluster
        self._workers = workers
        self._pods: dict[int, Object] = {}
        self._logs: dict[int, PodLog] = {}
        self._started = time.monotonic()
        self._renewed = self._queued_until = self._started if created is None else created
        self._updated = 0.0
        self._renewal_seconds = workers.abandoned_seconds / RENEWALS
        self._poll_seconds = min(_POLL_SECONDS, self._renewal_seconds / 4)

    def read_statuses(self) -> Sequence[WorkerStatus]:
        """Returns each worker's status, at most a second old.

        Raises:
          ConfigError: a pod has not started within `pending_seconds`, or a log may not be read.
        """
        now = time.monotonic()
        if now - self._updated >= self._poll_seconds:
            self._renew_deadline()
            self._update_pods()
            self._check_pending(now)
            self._updated = time.monotonic()
        return [self._make_status(index, task) for index, task in enumerate(self._cluster.tasks)]

    def stop(self) -> None:
        """Deletes the Job with its pods, after the logs of ended pods are read to their ends."""
        deadline = time.monotonic() + _LOG_SECONDS
        for index, log in self._logs.items():
            if pod_status.read_exit_code(self._pods[index]) is not None:
                log.finish(max(deadline - time.monotonic(), 0))
        try:
            delete_job(self._api, self._name)
        except PipelineError as error:
            # Only a warning: another error, which must not be hidden, may have ended the attempt.
            logging.warning("Job %s: its pods were not deleted: %s", self._name, error)
        for log in self._logs.values():
            log.finish(0)

    def _renew_deadline(self) -> None:
        """Moves the Job's deadline on: without this process, Kubernetes ends the Job by itself.

        Kubernetes counts from the start of the Job. A Job in a queue, such as Kueue's, has not
        started.
        """
        if time.monotonic() - self._renewed < self._renewal_seconds:
            return
        try:
            job = self._api.patch("jobs", self._name, self._make_renewal)
            if "startTime" not in job.get("status", {}):
                self._queued_until = self._renewed
        except NotFoundError:
            return  # Somebody has deleted the Job. `_update_pods` notices that its pods are gone.

    def _make_renewal(self) -> Object:
        """Returns the deadline counted from now: a repeated request must not send an old one."""
        self._renewed = time.monotonic()
        deadline = int(self._renewed - self._queued_until) + self._workers.abandoned_seconds
        return {"spec": {"activeDeadlineSeconds": deadline}}

    def _update_pods(self) -> None:
        """Lists the Job's pods, and starts to read the logs of pods that have started.

        A list request is repeated each time. A watch could lose its connection unnoticed.
        """
        listed = self._api.list_objects("pods", labelSelector=f"{JOB_LABEL}={self._name}")
        by_uid = {pod["metadata"]["uid"]: pod for pod in listed}
        for pod in listed:
            # Only the first pod of an index belongs to this attempt, not a replacement.
            self._pods.setdefault(pod_status.read_index(pod), pod)
        for index, pod in self._pods.items():
            current = by_uid.get(pod["metadata"]["uid"]) or pod_status.mark_as_removed(pod)
            self._pods[index] = current
            if index not in self._logs and pod_status.has_started(current):
                task = self._cluster.tasks[index]
                self._logs[index] = PodLog(self._api, pod["metadata"]["name"], task.name)
        for log in self._logs.values():
            if log.error is not None:
                raise log.error

    def _check_pending(self, now: float) -> None:
        """Raises ConfigError for a pod that has not started within `pending_seconds`."""
        if now - self._started < self._workers.pending_seconds:
            return
        for index, task in enumerate(self._cluster.tasks):
            pod = self._pods.get(index)
            if pod is None or not pod_status.has_started(pod):
                raise ConfigError(
                    f"{task.name} has not started in {self._workers.pending_seconds:g} s: "
                    f"{pod_status.explain_pending(pod, self._list_events(pod))}",
                    "kubeflow.workers sets what the pods request; its pending_seconds sets how "
                    "long they may wait",
                )

    def _list_events(self, pod: Object | None) -> list[Object]:
        """Returns the events about the pod, or about the Job if Kubernetes has made no pod."""
        name = pod["metadata"]["name"] if pod else self._name
        return self._api.list_objects("events", fieldSelector=f"involvedObject.name={name}")

    def _make_status(self, index: int, task: Task) -> WorkerStatus:
        pod, log = self._pods.get(index), self._logs.get(index)
        is_server = self._cluster.is_server(task)
        if pod is None or not pod_status.has_started(pod):
            return WorkerStatus(task.name, is_pending=True, is_server=is_server)
        steps, ticks = log.progress if log else (-1, 0)
        return WorkerStatus(
            task.name,
            pod_status.read_exit_code(pod),
            pod_status.read_report(pod),
            steps,
            ticks,
            is_server,
            reason=pod_status.read_end_reason(pod),
        )


def delete_job(api: Api, job: str) -> None:
    """Deletes a Job and waits until it is gone; Kubernetes deletes the Job's pods before it."""
    deadline = time.monotonic() + _DELETION_SECONDS
    try:
        api.delete("jobs", job)
        while time.monotonic() < deadline:
            api.get("jobs", job)
            time.sleep(_POLL_SECONDS / 2)
    except NotFoundError:
        return
    # The pods' node does not answer, so nothing can end them. They end when they miss their peers.
    logging.warning("Job %s: some of its pods still exist after %g s", job, _DELETION_SECONDS)
