"""Starts workers as Kubernetes pods, for a Trainer that itself runs in a pod."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Mapping, Sequence

from components.distributed_trainer.kubernetes.api import Api, NotFoundError, Object
from components.distributed_trainer.kubernetes.attempt import KubernetesAttempt, delete_job
from components.distributed_trainer.kubernetes.manifests import (
    TRAINING_LABEL,
    build_config_map,
    build_job,
    build_network_policy,
    build_service,
    make_pod_cluster,
)
from components.distributed_trainer.kubernetes.pod_template import PORT
from components.distributed_trainer.kubernetes.trainer_pod import TrainerPod
from pipeline.config import WorkersConfig
from pipeline.core.environment import POD_VARIABLE
from pipeline.core.errors import ConfigError

_OPEN_WORKERS = (
    "Whoever reaches port %d of the workers' pods can run code in them, with their volumes and "
    "secrets. The NetworkPolicy against that was not created: %s. To have it created, %s. Or apply "
    "deploy/kubernetes/network-policy.yaml once to the namespace."
)


class KubernetesLauncher:
    """Starts each attempt as a Job with a unique name.

    `job` is the line of JSON for the workers. `key` identifies the model: two Trainers with the
    same key must not run at the same time, since they would write the same backups. `tasks` gives
    the number of pods by task type. `command` replaces the worker's command, for tests.
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
        self._has_warned = False

    def take_over(self) -> TrainerPod:
        """Ends workers that a killed Trainer of the same model left; returns this process's pod.

        Raises:
          ConfigError: this process runs in no pod, or another Trainer of the same model runs.
        """
        trainer_pod = self._read_trainer_pod()
        self._delete_leftover_jobs(trainer_pod)
        return trainer_pod

    def start(self) -> KubernetesAttempt:
        """Creates the Job, its NetworkPolicy, its Service and its ConfigMap.

        Raises:
          ConfigError: as `take_over`, or the configuration is invalid in this cluster.
        """
        trainer_pod = self.take_over()
        name = f"train-{self._key}-{secrets.token_hex(3)}"
        cluster = make_pod_cluster(name, self._tasks)
        manifest = build_job(name, self._key, cluster, trainer_pod, self._workers, self._command)
        created = time.monotonic()
        self._api.create("jobs", manifest)
        logging.info("Job %s: %d pods", name, len(cluster.tasks))
        attempt = KubernetesAttempt(self._api, name, cluster, self._workers, created)
        try:
            job = self._api.get("jobs", name)
            # These objects refer to the Job as their owner, so the Job comes first. Its pods get
            # no network before the ConfigMap exists: no worker listens before its NetworkPolicy.
            self._keep_strangers_out(name, job)
            self._api.create("services", build_service(name, job))
            self._api.create("configmaps", build_config_map(name, job, self._job))
        except BaseException:
            attempt.stop()
            raise
        return attempt

    def _keep_strangers_out(self, name: str, job: Object) -> None:
        """Creates the NetworkPolicy, or warns once: older versions needed no right to create it."""
        try:
            self._api.create("networkpolicies", build_network_policy(name, job))
        except ConfigError as error:
            if not self._has_warned:
                logging.warning(_OPEN_WORKERS, PORT, error.message, error.hint)
            self._has_warned = True

    def _read_trainer_pod(self) -> TrainerPod:
        # Outside of Kubeflow, the host name of a pod is the pod's name.
        name = os.environ.get(POD_VARIABLE) or socket.gethostname()
        try:
            return TrainerPod.from_json(self._api.get("pods", name))
        except NotFoundError:
            raise ConfigError(
                f"there is no pod {name} in namespace {self._api.namespace}, but the Trainer "
                "should run in this pod",
                "only a Trainer in a pod can start workers as pods; elsewhere, leave out "
                "kubeflow.workers",
            ) from None

    def _delete_leftover_jobs(self, trainer_pod: TrainerPod) -> None:
        """Deletes Jobs of killed Trainers of the same model: they would write the same backups."""
        for job in self._api.list_objects("jobs", labelSelector=f"{TRAINING_LABEL}={self._key}"):
            owner = job["metadata"]["ownerReferences"][0]
            if owner["uid"] != trainer_pod.uid and self.is_running(owner):
                raise ConfigError(
                    f"pod {owner['name']} is training the same model",
                    "wait until its run has ended, or end its run",
                )
            logging.warning("Deleting the workers that pod %s has left", owner["name"])
            delete_job(self._api, job["metadata"]["name"])

    def is_running(self, owner: Object) -> bool:
        """Whether the pod with this `name` and `uid` is pending or running."""
        try:
            pod = self._api.get("pods", owner["name"])
        except NotFoundError:
            return False
        same = pod["metadata"]["uid"] == owner["uid"]
        return same and pod["status"].get("phase") in ("Pending", "Running")
