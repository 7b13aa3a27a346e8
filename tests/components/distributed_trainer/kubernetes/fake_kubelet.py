"""The node of the fake Kubernetes: it runs each pod's container as a process of this machine."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"\b([a-z0-9-]+)\.([a-z0-9-]+):(\d+)\b")
_KEPT = ("HOME", "LANG", "TF_USE_LEGACY_KERAS", "TF_CPP_MIN_LOG_LEVEL", "CUDA_VISIBLE_DEVICES")
"""The only variables of this process that containers get."""


@dataclass
class Container:
    """A started container."""

    process: subprocess.Popen[bytes]
    message: Path
    reader: threading.Thread
    ended: bool = False
    terminated: float | None = None
    """When it got SIGTERM, in seconds of `time.monotonic`."""


class Kubelet:
    """Starts and ends the pods of Jobs, and writes their states into their JSON."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._containers: dict[str, Container] = {}
        self._ports: dict[str, int] = {}
        self.labels = {"kubernetes.io/os": "linux"}
        self.missing_images: set[str] = set()
        self.fenced: set[str] = set()
        """Pods whose node does not answer: they run on, and nothing can end or delete them."""
        self.environment: dict[str, str] = {}
        """Variables that the image would set in each container."""
        self.logs: dict[str, list[str]] = {}

    def is_at_work(self, pod: str) -> bool:
        container = self._containers.get(pod)
        return container is not None and not container.ended

    def sync(self) -> None:
        for name, pod in [(p["metadata"]["name"], p) for p in self._cluster.workers()]:
            if name in self.fenced:
                continue
            if name in self._containers:
                self._look(name, pod)
            elif "deletionTimestamp" in pod["metadata"]:
                del self._cluster.objects["pods", name]
            elif self._may_start(pod):
                self._start(name, pod)

    def kill(self, pod: str, with_: signal.Signals = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._containers[pod].process.pid, with_)

    def kill_all(self) -> None:
        for name, container in self._containers.items():
            self.kill(name)
            container.process.wait()

    def _may_start(self, pod: dict[str, Any]) -> bool:
        spec, status = pod["spec"], pod["status"]
        container = spec["containers"][0]
        if not spec.get("nodeSelector", {}).items() <= self.labels.items():
            message = (
                "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
            )
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            status["conditions"] = [condition | {"message": message}]
            return False
        status["conditions"] = [{"type": "PodScheduled", "status": "True"}]
        waiting = {"reason": "ContainerCreating"}
        if container["image"] in self.missing_images:
            message = f'Back-off pulling image "{container["image"]}"'
            waiting = {"reason": "ImagePullBackOff", "message": message}
        state = {"name": container["name"], "state": {"waiting": waiting}}
        status["containerStatuses"] = [state]
        claims = [v["configMap"]["name"] for v in spec["volumes"] if "configMap" in v]
        mounted = all(("configmaps", name) in self._cluster.objects for name in claims)
        return mounted and "message" not in waiting

    def _start(self, name: str, pod: dict[str, Any]) -> None:
        assert pod["spec"]["automountServiceAccountToken"] is False
        container, folder = pod["spec"]["containers"][0], self._cluster.folder / "pods" / name
        places = self._mount(pod, folder)
        message = folder / "termination-log"
        message.write_text("")
        places[container["terminationMessagePath"]] = str(message)

        def local(text: str) -> str:
            for path, directory in places.items():
                text = text.replace(path, directory)
            return _ADDRESS.sub(self._resolve, text).replace("$$", "$")

        environment = {key: os.environ[key] for key in _KEPT if key in os.environ}
        environment |= {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
        environment |= {"TMPDIR": str(folder), "HOSTNAME": pod["spec"]["hostname"]}
        environment |= self.environment
        environment |= {each["name"]: local(each["value"]) for each in container["env"]}
        index = pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
        process = subprocess.Popen(
            [local(text) for text in (*container["command"], *container["args"])],
            env=environment | {"JOB_COMPLETION_INDEX": index},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log = self.logs[name] = []
        reader = threading.Thread(target=_read, args=(process.stdout, log), daemon=True)
        reader.start()
        self._containers[name] = Container(process, message, reader)
        self._tell(pod, "Running", {"running": {}})

    def _mount(self, pod: dict[str, Any], folder: Path) -> dict[str, str]:
        """Makes a directory for each mounted ConfigMap; returns the directories by mount path.

        The scripts of these tests use no other mounts.
        """
        folder.mkdir(parents=True)
        places = {}
        sources = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        for number, mount in enumerate(pod["spec"]["containers"][0]["volumeMounts"]):
            source = sources[mount["name"]]
            if "configMap" not in source:
                continue
            directory = folder / f"mount-{number}"
            directory.mkdir()
            content = self._cluster.objects["configmaps", source["configMap"]["name"]]
            for key, text in content["data"].items():
                (directory / key).write_text(text, encoding="utf-8")
            places[mount["mountPath"]] = str(directory)
        return places

    def _resolve(self, found: re.Match[str]) -> str:
        """Replaces a pod's name by a local port, if a headless Service would resolve the name."""
        host, subdomain, port = found.groups()
        service = self._cluster.objects.get(("services", subdomain))
        if service is None:
            return found[0]
        assert service["spec"]["ports"][0]["port"] == int(port)
        assert (
            service["spec"]["selector"].items()
            <= {"batch.kubernetes.io/job-name": host.rpartition("-")[0]}.items()
        )
        if host not in self._ports:
            with socket.socket() as free:
                free.bind(("localhost", 0))
                self._ports[host] = free.getsockname()[1]
        return f"localhost:{self._ports[host]}"

    def _look(self, name: str, pod: dict[str, Any]) -> None:
        container = self._containers[name]
        code = container.process.poll()
        if code is None:
            if "deletionTimestamp" in pod["metadata"]:
                self._end(name, container, pod["spec"]["terminationGracePeriodSeconds"])
            return
        if not container.ended:
            self.kill(name)  # A container's other processes end with its first process.
            container.reader.join(5)
            container.ended = True
            code = 128 - code if code < 0 else code
            reason = "Completed" if code == 0 else "OOMKilled" if code == 137 else "Error"
            terminated = {"exitCode": code, "reason": reason}
            if message := container.message.read_text()[:4096]:
                terminated["message"] = message
            self._tell(pod, "Failed" if code else "Succeeded", {"terminated": terminated})
        elif "deletionTimestamp" in pod["metadata"]:
            del self._cluster.objects["pods", name]

    def _end(self, name: str, container: Container, grace: float) -> None:
        if container.terminated is None:
            container.terminated = time.monotonic()
            container.process.terminate()
        elif time.monotonic() - container.terminated > grace:
            self.kill(name)

    def _tell(self, pod: dict[str, Any], phase: str, state: dict[str, Any]) -> None:
        container = pod["spec"]["containers"][0]["name"]
        pod["status"]["phase"] = phase
        pod["status"]["containerStatuses"] = [{"name": container, "state": state}]


def _read(output: Any, log: list[str]) -> None:
    with output:
        for line in output:
            now = datetime.now(timezone.utc)
            stamp = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond:06}{len(log) % 1000:03}Z"
            log.append(f"{stamp} {line.decode(errors='replace').rstrip()}")
