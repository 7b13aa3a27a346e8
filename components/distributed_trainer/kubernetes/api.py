"""Calls the Kubernetes API with plain JSON, and raises errors that say what to do.

The official client finds the server and the credentials, and renews the token. This module does not
use the client's typed objects: an older client rejects fields of a newer server.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
from kubernetes import client, config
from kubernetes.config import incluster_config

from pipeline.core.errors import ConfigError, PipelineError

Object = Mapping[str, Any]
"""The JSON of a Kubernetes object."""

_GROUPS = {"jobs": "/apis/batch/v1", "networkpolicies": "/apis/networking.k8s.io/v1"}
"""API groups by kind; the other kinds belong to the core group."""
_POD_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where Kubernetes puts the token of the account that all tasks of a pipeline share."""
_OWN_ACCOUNT = Path("/var/run/secrets/distributed-trainer")
"""Where the Trainer alone may have a Secret with the token of an account of its own."""
_CONNECT_SECONDS = 5.0
_READ_SECONDS = 30.0
"""For one request. `_request` repeats a request that took longer."""
_LONGEST_PAUSE_SECONDS = 10.0
"""The longest pause between two requests. Doubling stops here, so that about ten requests fit into
the patience of two minutes."""
_LAST_SECONDS = 5.0
"""So long before the end of the patience begins one more request, if pauses are longer."""
_TRANSIENT = frozenset({429, 500, 502, 503, 504})
"""Status codes of a server that is starting, moving or busy; the request is repeated."""
_DENIED = re.compile(r'User "(?P<user>[^"]+)" cannot (?P<what>.+)$')


class NotFoundError(Exception):
    """The object does not exist, or is not ready for the request."""


class Api:
    """The API of one namespace with one user's credentials.

    Every method repeats its request for `patience_seconds` while the server cannot be reached.

    Raises:
      ConfigError: the server rejects the credentials, the right is missing, or the object is
        invalid.
      PipelineError: the server could not be reached for `patience_seconds`.
      NotFoundError: the object does not exist.
    """

    def __init__(self, settings: Any, namespace: str, patience_seconds: float = 120) -> None:
        self._client = client.ApiClient(settings)
        self._host = settings.host
        self._pool = self._client.rest_client.pool_manager
        self.namespace = namespace
        self._patience_seconds = patience_seconds

    @classmethod
    def connect(cls, patience_seconds: float = 120) -> Api:
        """Connects to the cluster in which this process runs, else to the kubeconfig's cluster.

        In a cluster, a token of the Trainer's own account goes before the token of the pod.

        Raises:
          ConfigError: the process runs in no cluster and there is no usable kubeconfig.
        """
        settings = client.Configuration()
        try:
            if os.environ.get("KUBERNETES_SERVICE_HOST"):
                account = _OWN_ACCOUNT if _OWN_ACCOUNT.is_dir() else _POD_ACCOUNT
                files = (str(account / name) for name in ("token", "ca.crt"))
                incluster_config.InClusterConfigLoader(*files).load_and_set(settings)
                namespace = (account / "namespace").read_text(encoding="utf-8").strip()
            else:
                file = os.environ.get("KUBECONFIG")
                config.load_kube_config(file, client_configuration=settings)
                _, context = config.list_kube_config_contexts(file)
                namespace = context["context"].get("namespace", "default")
        except (config.ConfigException, OSError) as error:
            raise ConfigError(
                f"cannot connect to the Kubernetes API: {error}",
                "the Trainer's pod needs a token of its service account: set "
                "automountServiceAccountToken to true",
            ) from error
        return cls(settings, namespace, patience_seconds)

    def get(self, kind: str, name: str) -> Object:
        """Returns an object, such as kind `pods`."""
        item: Object = self._request("GET", self._path(kind, name))
        return item

    def list_objects(self, kind: str, **query: str) -> list[Object]:
        """Returns all objects of a kind that match, such as `labelSelector="a=b"`."""
        items: list[Object] = self._request("GET", self._path(kind), query=query).get("items", [])
        return items

    def create(self, kind: str, body: Object) -> None:
        """Creates an object. Its name must be unique in the cluster, even across processes.

        Otherwise a repeated request could not tell its own object from somebody else's.
        """
        self._request("POST", self._path(kind), body)

    def patch(self, kind: str, name: str, make_change: Callable[[], Object]) -> Object:
        """Changes fields by a JSON merge patch, and returns the object.

        `make_change` makes the patch for each request anew, so that it may tell the time.
        """
        item: Object = self._request("PATCH", self._path(kind, name), make_change)
        return item

    def delete(self, kind: str, name: str) -> None:
        """Asks the server to delete an object after all objects that it owns."""
        self._request("DELETE", self._path(kind, name), {"propagationPolicy": "Foreground"})

    def stream_log(self, pod: str, since: str, timeout: float = 60) -> Iterator[str]:
        """Yields the lines of a pod's log, each after its RFC 3339 time stamp.

        The stream begins at the time stamp `since`, if given. It ends with the container, or raises
        after `timeout` seconds without a line.

        Raises:
          NotFoundError: the pod does not exist, or its container has not started.
          ConfigError: the user may not read the log.
          urllib3.exceptions.HTTPError: the connection was lost or idle for `timeout` seconds.
        """
        query = {"follow": "true", "timestamps": "true", **({"sinceTime": since} if since else {})}
        response = self._send(
            "GET",
            self._path("pods", f"{pod}/log"),
            None,
            query,
            urllib3.Timeout(connect=_CONNECT_SECONDS, read=timeout),
            preload_content=False,
        )
        try:
            if response.status in (401, 403):
                raise self._make_error(response.status, _read_message(response))
            if response.status >= 300:
                raise NotFoundError(pod)
            yield from (line.decode(errors="replace").rstrip("\n") for line in response)
        finally:
            response.close()

    def _path(self, kind: str, name: str = "") -> str:
        group = _GROUPS.get(kind, "/api/v1")
        return f"{group}/namespaces/{self.namespace}/{kind}" + (f"/{name}" if name else "")

    def _request(
        self,
        method: str,
        path: str,
        body: Object | Callable[[], Object] | None = None,
        query: Mapping[str, str] = {},
    ) -> Any:
        """Sends a request until the server answers, and returns the JSON of the answer.

        The last request ends with the patience, and does not outlast it.
        """
        deadline = time.monotonic() + self._patience_seconds
        pause, sent_before = 1.0, False
        while True:
            left = max(deadline - time.monotonic(), 0.1)
            timeout = urllib3.Timeout(left, _CONNECT_SECONDS, _READ_SECONDS)
            try:
                sent = body() if callable(body) else body
                response = self._send(method, path, sent, query, timeout)
            except urllib3.exceptions.HTTPError as error:
                trouble = str(error)
            else:
                if response.status < 300:
                    return json.loads(response.data)
                if response.status == 409 and method == "POST" and sent_before:
                    return {}  # An earlier request created the object, but its answer was lost.
                if response.status not in _TRANSIENT:
                    raise self._make_error(response.status, _read_message(response))
                trouble = _read_message(response)
            left = deadline - time.monotonic()
            if left <= 0:
                raise PipelineError(
                    f"cannot reach the Kubernetes API server at {self._host}: {trouble}",
                    "network policies must allow the Trainer's pod to connect to the API server",
                )
            logging.warning("%s %s: %s; trying again", method, path, trouble)
            time.sleep(min(pause, max(left - _LAST_SECONDS, 1.0), left))
            pause, sent_before = min(2 * pause, _LONGEST_PAUSE_SECONDS), True

    def _send(
        self,
        method: str,
        path: str,
        body: Object | None,
        query: Mapping[str, str],
        timeout: urllib3.Timeout,
        preload_content: bool = True,
    ) -> Any:
        """Sends one request and returns the response of urllib3."""
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

    def _make_error(self, status: int, message: str) -> Exception:
        if status == 404:
            return NotFoundError(message)
        denied = _DENIED.search(message)
        if status == 403 and denied:
            return ConfigError(
                f"Kubernetes does not let {denied['user']} {denied['what']}",
                f"grant the rights: kubectl apply -n {self.namespace} "
                "-f deploy/kubernetes/trainer.yaml, and give the Trainer its account as that file "
                "says",
            )
        if status == 401:
            return ConfigError(
                f"the Kubernetes API server rejects the credentials: {message}",
                "the token of the Trainer's service account is missing or has expired",
            )
        return ConfigError(
            f"Kubernetes rejects the workers: {message}",
            "check kubeflow.workers in the configuration, and the quotas of the namespace",
        )


def _read_message(response: Any) -> str:
    """Returns the message of an error response, or its status code if it has no message."""
    try:
        return str(json.loads(response.data)["message"])
    except (ValueError, LookupError, TypeError):
        return f"status {response.status}"
