"""A fake Kubernetes: real HTTP, a Job controller, a garbage collector, and pods that are processes.

It replaces the cluster and nothing else. Processes of one machine have no mounts and no DNS for
pods. The fake therefore edits their arguments and variables: the path of a mount becomes a
directory, and the name of a pod becomes a local port if a headless Service would resolve it.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml
from fake_api import NAMESPACE, TOKEN, Handler
from fake_kubelet import Kubelet

IMAGE = "registry.example/pipeline@sha256:" + "ab" * 32
RULES = Path(__file__).parents[4] / "deploy/kubernetes/trainer.yaml"
_KINDS = ("jobs", "networkpolicies", "services", "configmaps")
"""What an attempt creates; the Job's pods come from the Job."""
JOB_LABEL = "batch.kubernetes.io/job-name"
INDEX = "batch.kubernetes.io/job-completion-index"


class FakeCluster:
    """A context manager that starts the cluster; the Trainer's own pod exists and runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.objects: dict[tuple[str, str], dict[str, Any]] = {}
        self.requests: list[str] = []
        self.invalid: list[str] = []
        self.down = False
        self.queueing = False
        """Whether Jobs wait in a queue, as Kueue's do: they have no pods, and have not started."""
        self.answers_to_lose = 0
        """How many of the next create requests get no answer."""
        self.cut = 0
        """A test adds 1 in order to cut all open log streams."""
        documents = yaml.safe_load_all(RULES.read_text(encoding="utf-8"))
        [role] = [document for document in documents if document["kind"] == "Role"]
        self.rules: list[dict[str, Any]] = role["rules"]
        self.kubelet = Kubelet(self)
        self.trainer = self.add_trainer("trainer")
        self._ended = threading.Event()

    def __enter__(self) -> FakeCluster:
        handler = type("HandlerOfCluster", (Handler,), {"cluster": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._threads = [
            threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True),
            threading.Thread(target=self._control, daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        for thread in self._threads:
            thread.join()
        self._server.server_close()
        self.kubelet.kill_all()

    def kubeconfig(self, token: str = TOKEN) -> Path:
        """Writes a kubeconfig of this cluster, and returns its path."""
        path = self.folder / f"kubeconfig-{token}"
        server = f"http://127.0.0.1:{self._server.server_address[1]}"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "fake",
            "clusters": [{"name": "fake", "cluster": {"server": server}}],
            "users": [{"name": "trainer", "user": {"token": token}}],
            "contexts": [
                {
                    "name": "fake",
                    "context": {"cluster": "fake", "user": "trainer", "namespace": NAMESPACE},
                }
            ],
        }
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return path

    @property
    def logs(self) -> dict[str, list[str]]:
        return self.kubelet.logs

    def is_at_work(self, pod: str) -> bool:
        return self.kubelet.is_at_work(pod)

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [item for (each, _), item in self.objects.items() if each == kind]

    def left(self) -> list[str]:
        """Returns the names of all objects except the Trainers' pods.

        The garbage collector goes over the objects before: it may be late for a Job just removed.
        """
        with self.lock:
            self._collect_garbage()
            left = [f"{kind}/{name}" for kind, name in self.objects if kind in _KINDS]
            return left + [pod["metadata"]["name"] for pod in self.workers()]

    def workers(self) -> list[dict[str, Any]]:
        """Returns the pods of all Jobs, in the order of their indices."""
        with self.lock:
            pods = [p for p in self.of_kind("pods") if JOB_LABEL in p["metadata"].get("labels", {})]
            return sorted(pods, key=lambda pod: int(pod["metadata"]["annotations"][INDEX]))

    def add(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        """Stores an object with a new uid, as the API server does."""
        body["metadata"]["uid"] = str(uuid.uuid4())
        body.setdefault("status", {})
        body["added"] = time.monotonic()
        self.objects[kind, body["metadata"]["name"]] = body
        return body

    def add_trainer(self, name: str) -> dict[str, Any]:
        """Adds the pod of a Trainer, with a second container as in Kubeflow."""
        containers = [
            {"name": "wait", "image": "argoexec:v3"},
            {
                "name": "main",
                "image": "registry.example/pipeline:latest",
                "securityContext": {"allowPrivilegeEscalation": False},
            },
        ]
        statuses = [
            {"name": "wait", "imageID": "registry.example/argoexec@sha256:" + "cd" * 32},
            {"name": "main", "imageID": f"docker-pullable://{IMAGE}"},
        ]
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "containers": containers,
                "imagePullSecrets": [{"name": "registry"}],
                "securityContext": {"fsGroup": 1000},
            },
            "status": {"phase": "Running", "containerStatuses": statuses},
        }
        return self.add("pods", pod)

    def delete(self, kind: str, name: str) -> None:
        """Marks an object as deleted; the control loop removes it after its pods have ended."""
        item = self.objects.get((kind, name))
        if item is None or "deletionTimestamp" in item["metadata"]:
            return
        item["metadata"]["deletionTimestamp"] = "now"
        if kind in _KINDS and kind != "jobs":
            del self.objects[kind, name]

    def _control(self) -> None:
        while not self._ended.wait(0.03):
            with self.lock:
                self._collect_garbage()
                for job in self.of_kind("jobs"):
                    self._control_job(job)
                self.kubelet.sync()

    def _collect_garbage(self) -> None:
        uids = {item["metadata"]["uid"] for item in self.objects.values()}
        for (kind, name), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences", [])
            if owners and not any(owner["uid"] in uids for owner in owners):
                self.delete(kind, name)

    def _control_job(self, job: dict[str, Any]) -> None:
        name, spec = job["metadata"]["name"], job["spec"]
        pods = [p for p in self.workers() if p["metadata"]["labels"][JOB_LABEL] == name]
        age = time.monotonic() - job["status"].get("startTime", time.monotonic())
        expired = age > spec["activeDeadlineSeconds"]
        deleted = "deletionTimestamp" in job["metadata"]
        if deleted and not pods:
            del self.objects["jobs", name]
        elif deleted or expired:
            for pod in pods:
                self.delete("pods", pod["metadata"]["name"])
        elif "startTime" not in job["status"] and not self.queueing:
            # Pods are made once: with backoffLimitPerIndex 0, the Job replaces none.
            job["status"]["startTime"] = time.monotonic()
            for index in range(spec["completions"]):
                self._add_pod(job, index)

    def _add_pod(self, job: dict[str, Any], index: int) -> None:
        name, template = job["metadata"]["name"], job["spec"]["template"]
        assert job["spec"]["backoffLimitPerIndex"] == 0
        owner = {"kind": "Job", "name": name, "uid": job["metadata"]["uid"]}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"{name}-{index}-{next(_SUFFIXES):05x}",
                "labels": {**template["metadata"]["labels"], JOB_LABEL: name},
                "annotations": {INDEX: str(index)},
                "ownerReferences": [owner],
            },
            "spec": {**template["spec"], "hostname": f"{name}-{index}"},
            "status": {"phase": "Pending"},
        }
        self.add("pods", pod)

    def kill(self, index: int) -> None:
        """Kills all processes of a pod, as the kernel does when memory runs out."""
        self.kubelet.kill(self.workers()[index]["metadata"]["name"])

    def evict(self, index: int) -> None:
        """Ends a pod as a node that is low on memory does."""
        with self.lock:
            pod = self.workers()[index]
            message = "The node was low on resource: memory."
            condition = {"type": "DisruptionTarget", "status": "True", "message": message}
            pod["status"].setdefault("conditions", []).append(condition)
            self.delete("pods", pod["metadata"]["name"])

    def remove_trainer(self, name: str = "trainer") -> None:
        with self.lock, contextlib.suppress(KeyError):
            del self.objects["pods", name]


_SUFFIXES = itertools.count(0xA1B2C)
