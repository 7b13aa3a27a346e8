"""Workers as pods of Kubernetes, for a Trainer that is itself in one."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Mapping, Sequence

from components.distributed_trainer.cluster import Cluster, Task
from components.distributed_trainer.kubernetes import pods
from components.distributed_trainer.kubernetes.api import Api, NotThereError, Object
from components.distributed_trainer.kubernetes.logs import PodLog
from components.distributed_trainer.kubernetes.manifests import (
    JOB_LABEL,
    TRAINING_LABEL,
    Home,
    config_map_manifest,
    job_manifest,
    pod_cluster,
    service_manifest,
)
from components.distributed_trainer.launcher import WorkerStatus
from pipeline.config import ConfigError, PipelineError, WorkersConfig

_LOOK_SECONDS = 1.0
_GONE_SECONDS = 120.0
_LOG_SECONDS = 5.0
_RENEWALS = 5
"""How often the end of the pods is put off in the time after which they count as abandoned."""


class KubernetesLauncher:
    """Starts each attempt as a Job with names of its own.

    `key` stands for what is trained: of two Trainers with the same, only one may be at work.
    `command` is what runs beside the pod's own process, if not the worker.
    """

    def __init__(
        self,
        api: Api,
        job: str,
        key: str,
        tasks: Mapping[str, int],
        workers: WorkersConfig,
        command: Sequence[str] = (),
    ) -> None:
        self._api = api
        self._job = job
        self._key = key
        self._tasks = dict(tasks)
        self._workers = workers
        self._command = list(command)

    def start(self) -> KubernetesAttempt:
        home = self._home()
        self._end_leftovers(home)
        name = f"train-{self._key}-{secrets.token_hex(3)}"
        cluster = pod_cluster(name, self._tasks)
        manifest = job_manifest(name, self._key, cluster, home, self._workers, self._command)
        self._api.create("jobs", manifest)
        attempt = KubernetesAttempt(self._api, name, cluster, self._workers)
        try:
            job = self._api.get("jobs", name)
            # They come after the Job that owns them; its pods wait for them.
            self._api.create("services", service_manifest(name, job))
            self._api.create("configmaps", config_map_manifest(name, job, self._job))
        except BaseException:
            attempt.stop()
            raise
        return attempt

    def _home(self) -> Home:
        # As Kubeflow gives it, else as its host is called.
        name = os.environ.get("KFP_POD_NAME") or socket.gethostname()
        try:
            return Home.of_pod(self._api.get("pods", name))
        except NotThereError:
            raise ConfigError(
                f"there is no pod {name} in namespace {self._api.namespace}, though the Trainer "
                "should be in it",
                "workers are started from a pod; elsewhere, leave the `workers` of the runner out",
            ) from None

    def _end_leftovers(self, home: Home) -> None:
        """Ends the pods of a Trainer that was killed: they would write the same backups."""
        for job in self._api.find("jobs", labelSelector=f"{TRAINING_LABEL}={self._key}"):
            owner = job["metadata"]["ownerReferences"][0]
            if owner["uid"] != home.uid and self._is_at_work(owner):
                raise ConfigError(
                    f"pod {owner['name']} is training the same model",
                    "wait for its end, or end its run",
                )
            logging.warning("Ending the workers that pod %s has left", owner["name"])
            _end(self._api, job["metadata"]["name"])

    def _is_at_work(self, owner: Object) -> bool:
        try:
            pod = self._api.get("pods", owner["name"])
        except NotThereError:
            return False
        same = pod["metadata"]["uid"] == owner["uid"]
        return same and pod["status"].get("phase") in ("Pending", "Running")


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
            _end(self._api, self._name)
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
            # To wait for a place is not to stand still: that has a limit of its own.
            return WorkerStatus(task.name, ticks=-int(1000 * time.monotonic()), serves=serves)
        steps, ticks = log.progress if log else (-1, 0)
        code = pods.exit_code(pod)
        return WorkerStatus(
            task.name, code, pods.report(pod), steps, ticks, serves, pods.reason(pod)
        )


def _end(api: Api, job: str) -> None:
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
