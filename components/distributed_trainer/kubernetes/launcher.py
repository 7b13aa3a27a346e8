"""Workers as pods of Kubernetes, for a Trainer that is itself in one."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Mapping, Sequence

from components.distributed_trainer.kubernetes.api import Api, NotThereError, Object
from components.distributed_trainer.kubernetes.attempt import KubernetesAttempt, end_job
from components.distributed_trainer.kubernetes.manifests import (
    TRAINING_LABEL,
    config_map_manifest,
    job_manifest,
    pod_cluster,
    service_manifest,
)
from components.distributed_trainer.kubernetes.trainer_pod import Home
from pipeline.config import WorkersConfig
from pipeline.core.errors import ConfigError


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

    def take_over(self) -> Home:
        """Ends what a killed Trainer of the same model has left.

        Raises:
          ConfigError: it is no Trainer's pod that this runs in, or another one is at work.
        """
        home = self._home()
        self._end_leftovers(home)
        return home

    def start(self) -> KubernetesAttempt:
        home = self.take_over()
        name = f"train-{self._key}-{secrets.token_hex(3)}"
        cluster = pod_cluster(name, self._tasks)
        manifest = job_manifest(name, self._key, cluster, home, self._workers, self._command)
        self._api.create("jobs", manifest)
        logging.info("Job %s: %d pods", name, len(cluster.tasks))
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
            if owner["uid"] != home.uid and self.is_at_work(owner):
                raise ConfigError(
                    f"pod {owner['name']} is training the same model",
                    "wait for its end, or end its run",
                )
            logging.warning("Ending the workers that pod %s has left", owner["name"])
            end_job(self._api, job["metadata"]["name"])

    def is_at_work(self, owner: Object) -> bool:
        """Whether the pod of this name and uid has not ended."""
        try:
            pod = self._api.get("pods", owner["name"])
        except NotThereError:
            return False
        same = pod["metadata"]["uid"] == owner["uid"]
        return same and pod["status"].get("phase") in ("Pending", "Running")
