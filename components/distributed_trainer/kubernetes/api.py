"""The API of Kubernetes as plain JSON, with errors that say what to do.

The official client finds the server and who we are, and renews the token. Its typed objects are
left out: those of an older client refuse fields of a newer server.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
from kubernetes import client, config

from pipeline.core.errors import ConfigError, PipelineError

Object = Mapping[str, Any]
"""An object of Kubernetes, as its JSON."""

_GROUPS = {"jobs": "/apis/batch/v1"}
_NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_TIMEOUT = urllib3.Timeout(connect=5, read=30)
_LONGEST_PAUSE_SECONDS = 10.0
_PASSING = frozenset({429, 500, 502, 503, 504})
"""Answers of a server that is starting, moving or busy."""
_DENIED = re.compile(r'User "(?P<user>[^"]+)" cannot (?P<what>.+)$')


class NotThereError(Exception):
    """There is no such object, or it is not ready for what was asked."""


class Api:
    """One namespace, seen by one user."""

    def __init__(self, settings: Any, namespace: str, patience_seconds: float = 120) -> None:
        self._client = client.ApiClient(settings)
        self._host = settings.host
        self._pool = self._client.rest_client.pool_manager
        self.namespace = namespace
        self._patience_seconds = patience_seconds

    @classmethod
    def connect(cls, patience_seconds: float = 120) -> Api:
        """The API of the cluster in which this process runs, else that of the kubeconfig.

        Raises:
          ConfigError: there is neither.
        """
        settings = client.Configuration()
        try:
            if os.environ.get("KUBERNETES_SERVICE_HOST"):
                config.load_incluster_config(client_configuration=settings)
                namespace = _NAMESPACE_FILE.read_text(encoding="utf-8").strip()
            else:
                file = os.environ.get("KUBECONFIG")
                config.load_kube_config(file, client_configuration=settings)
                _, context = config.list_kube_config_contexts(file)
                namespace = context["context"].get("namespace", "default")
        except (config.ConfigException, OSError) as error:
            raise ConfigError(
                f"no way to the API of Kubernetes: {error}",
                "the Trainer's pod needs a token of its service account: "
                "automountServiceAccountToken has to be true",
            ) from error
        return cls(settings, namespace, patience_seconds)

    def get(self, kind: str, name: str) -> Object:
        found: Object = self._request("GET", self._path(kind, name))
        return found

    def find(self, kind: str, **query: str) -> list[Object]:
        """All objects of a kind that the selectors choose."""
        items: list[Object] = self._request("GET", self._path(kind), query=query).get("items", [])
        return items

    def create(self, kind: str, body: Object) -> None:
        """Creates an object, whose name nobody else uses."""
        self._request("POST", self._path(kind), body)

    def merge(self, kind: str, name: str, change: Object) -> None:
        """Changes some fields of an object."""
        self._request("PATCH", self._path(kind, name), change)

    def delete(self, kind: str, name: str) -> None:
        """Has an object deleted, and before it what it owns."""
        self._request("DELETE", self._path(kind, name), {"propagationPolicy": "Foreground"})

    def log(self, pod: str, since: str, timeout: float = 60) -> Iterator[str]:
        """The lines of a pod's log with their times, until it ends or nothing comes for long.

        Raises:
          NotThereError: the pod is gone, or has not started.
          ConfigError: it may not be read.
          urllib3.exceptions.HTTPError: the connection was lost.
        """
        query = {"follow": "true", "timestamps": "true", **({"sinceTime": since} if since else {})}
        response = self._send(
            "GET", self._path("pods", f"{pod}/log"), None, query, urllib3.Timeout(5, timeout), False
        )
        try:
            if response.status in (401, 403):
                raise self._refusal(response.status, _message(response))
            if response.status >= 300:
                raise NotThereError(pod)
            yield from (line.decode(errors="replace").rstrip("\n") for line in response)
        finally:
            response.close()

    def _path(self, kind: str, name: str = "") -> str:
        group = _GROUPS.get(kind, "/api/v1")
        return f"{group}/namespaces/{self.namespace}/{kind}" + (f"/{name}" if name else "")

    def _request(
        self, method: str, path: str, body: Object | None = None, query: Mapping[str, str] = {}
    ) -> Any:
        deadline = time.monotonic() + self._patience_seconds
        pause, sent_before = 1.0, False
        while True:
            try:
                response = self._send(method, path, body, query)
            except urllib3.exceptions.HTTPError as error:
                trouble = str(error)
            else:
                if response.status < 300:
                    return json.loads(response.data)
                if response.status == 409 and method == "POST" and sent_before:
                    return {}  # Created by a request whose answer was lost.
                if response.status not in _PASSING:
                    raise self._refusal(response.status, _message(response))
                trouble = _message(response)
            if time.monotonic() > deadline:
                raise PipelineError(
                    f"the API server of Kubernetes at {self._host} cannot be reached: {trouble}",
                    "network policies have to let the Trainer's pod through to it",
                )
            logging.warning("%s %s: %s; trying again", method, path, trouble)
            time.sleep(pause)
            pause, sent_before = min(2 * pause, _LONGEST_PAUSE_SECONDS), True

    def _send(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        query: Mapping[str, str] = {},
        timeout: urllib3.Timeout = _TIMEOUT,
        preload_content: bool = True,
    ) -> Any:
        kind = "merge-patch+json" if method == "PATCH" else "json"
        headers = {"accept": "application/json", "content-type": f"application/{kind}"}
        self._client.update_params_for_auth(headers, [], ["BearerToken"])
        return self._pool.request(
            method,
            f"{self._host}{path}" + (f"?{urlencode(query)}" if query else ""),
            body=None if body is None else json.dumps(body).encode(),
            headers=headers,
            timeout=timeout,
            retries=False,
            preload_content=preload_content,
        )

    def _refusal(self, status: int, message: str) -> Exception:
        if status == 404:
            return NotThereError(message)
        denied = _DENIED.search(message)
        if status == 403 and denied:
            return ConfigError(
                f"Kubernetes lets {denied['user']} not {denied['what']}",
                f"kubectl apply -n {self.namespace} -f deploy/kubernetes/trainer.yaml gives what "
                "is needed to the account that stands there as its subject",
            )
        if status == 401:
            return ConfigError(
                f"the API server of Kubernetes does not know who asks: {message}",
                "the token of the Trainer's service account is missing or has run out",
            )
        return ConfigError(
            f"Kubernetes refuses the workers: {message}",
            "see kubeflow.workers in the configuration, and the quotas of the namespace",
        )


def _message(response: Any) -> str:
    try:
        return str(json.loads(response.data)["message"])
    except (ValueError, LookupError, TypeError):
        return f"status {response.status}"
