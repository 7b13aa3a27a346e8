"""The HTTP server of a fake Kubernetes: checks paths, verbs, selectors, rights and objects."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import kubernetes_validate
from manifest_checks import check_manifest

NAMESPACE = "team"
TOKEN = "token-of-the-trainer"
USER = f"system:serviceaccount:{NAMESPACE}:pipeline-runner"
VERSION = "1.34"

_PATH = re.compile(
    rf"/(?P<group>api|apis/[a-z0-9.]+)/v1/namespaces/{NAMESPACE}/(?P<kind>[a-z]+)"
    r"(?:/(?P<name>[a-z0-9.-]+))?(?P<sub>/log)?$"
)
_KINDS = {
    ("apis/batch", "jobs"): ("batch/v1", "Job"),
    ("apis/networking.k8s.io", "networkpolicies"): ("networking.k8s.io/v1", "NetworkPolicy"),
    ("api", "services"): ("v1", "Service"),
    ("api", "configmaps"): ("v1", "ConfigMap"),
    ("api", "pods"): ("v1", "Pod"),
    ("api", "events"): ("v1", "Event"),
}
_VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}


class RefusedError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Handler(BaseHTTPRequestHandler):
    """Answers one request; whoever starts the server sets `cluster`."""

    cluster: Any
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        try:
            answer = self._handle(body)
            if self.command == "POST" and self.cluster.answers_to_lose > 0:
                self.cluster.answers_to_lose -= 1
                self.close_connection = True
                return
            self._answer(200, answer)
        except RefusedError as refused:
            status = {"kind": "Status", "status": "Failure", "message": str(refused)}
            self._answer(refused.code, status)
        except BrokenPipeError:
            self.close_connection = True

    def _answer(self, code: int, answer: Any) -> None:
        if answer is None:
            return
        data = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _handle(self, body: Any) -> Any:
        url = urlsplit(self.path)
        found = _PATH.match(url.path)
        if self.cluster.down:
            raise RefusedError(503, "apiserver is shutting down")
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            raise RefusedError(401, "Unauthorized")
        if found is None or (found["group"], found["kind"]) not in _KINDS:
            raise RefusedError(404, "the server could not find the requested resource")
        self._authorize(**found.groupdict())
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with self.cluster.lock:
            self.cluster.requests.append(f"{self.command} {url.path}")
            if not found["sub"]:
                return self._on_objects(found, query, body)
        return self._log(found["name"], query)

    def _authorize(self, group: str, kind: str, name: str | None, sub: str | None) -> None:
        verb = _VERBS.get(self.command, "get" if name else "list")
        resource, api_group = kind + (sub or ""), group.partition("/")[2]
        for rule in self.cluster.rules:
            if (
                api_group in rule["apiGroups"]
                and resource in rule["resources"]
                and verb in rule["verbs"]
            ):
                return
        named = f' "{name}"' if name else ""
        kind = f"{kind}.{api_group}" if api_group else kind
        raise RefusedError(
            403,
            f'{kind}{named} is forbidden: User "{USER}" cannot {verb} resource "{resource}" in API '
            f'group "{api_group}" in the namespace "{NAMESPACE}"',
        )

    def _on_objects(self, found: re.Match[str], query: Mapping[str, str], body: Any) -> Any:
        kind, name = found["kind"], found["name"]
        if self.command == "POST":
            return self._create(found, body)
        if name is None:
            return {"items": [o for o in self.cluster.of_kind(kind) if _chosen(o, query)]}
        if (kind, name) not in self.cluster.objects:
            raise RefusedError(404, f'{kind} "{name}" not found')
        item = self.cluster.objects[kind, name]
        if self.command == "PATCH":
            assert self.headers["content-type"] == "application/merge-patch+json"
            assert set(body) == {"spec"}, "a patch of more than the spec"
            assert set(body["spec"]) <= {"activeDeadlineSeconds"}, "immutable"
            item["spec"].update(body["spec"])
        elif self.command == "DELETE":
            assert body == {"propagationPolicy": "Foreground"}
            self.cluster.delete(kind, name)
        return item

    def _create(self, found: re.Match[str], body: Any) -> Any:
        kind = found["kind"]
        if (body["apiVersion"], body["kind"]) != _KINDS[found["group"], kind]:
            raise RefusedError(400, "the object provided is unrecognized")
        try:
            kubernetes_validate.validate(body, VERSION, strict=True)
            check_manifest(body)
        except (kubernetes_validate.ValidationError, AssertionError) as error:
            self.cluster.invalid.append(str(error))
            raise RefusedError(422, f"{body['kind']} is invalid: {error}") from None
        name = body["metadata"]["name"]
        if (kind, name) in self.cluster.objects:
            raise RefusedError(409, f'{kind} "{name}" already exists')
        return self.cluster.add(kind, body)

    def _log(self, name: str, query: Mapping[str, str]) -> None:
        log: Sequence[str] | None = self.cluster.logs.get(name)
        if log is None:
            raise RefusedError(400, f'container "worker" in pod "{name}" is waiting to start')
        assert (query["follow"], query["timestamps"]) == ("true", "true")
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        # Kubernetes ignores fractions of a second in sinceTime.
        since, cut = query.get("sinceTime", "")[:19], self.cluster.cut
        self._stream(name, since, log, lambda: self.cluster.cut > cut)

    def _stream(self, name: str, since: str, log: Sequence[str], cut: Callable[[], bool]) -> None:
        sent = 0
        while True:
            ended = not self.cluster.is_at_work(name)
            for line in log[sent:]:
                sent += 1
                if line[:19] >= since:
                    self._chunk(line.encode() + b"\n")
            if cut():
                self.close_connection = True
                return
            if ended:
                self._chunk(b"")
                return
            time.sleep(0.02)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


def _chosen(item: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    for text in filter(None, query.get("labelSelector", "").split(",")):
        name, _, value = text.partition("=")
        if item["metadata"].get("labels", {}).get(name) != value:
            return False
    field = query.get("fieldSelector", "").partition("=")
    return not field[0] or item["involvedObject"]["name"] == field[2]
