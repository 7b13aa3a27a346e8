"""A fake of the Kubeflow Pipelines 2 API, with the endpoints that `deploy` calls.

The fake refuses the requests that the real server refuses, and records the requests it accepts.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

Json = dict[str, Any]
API = "/apis/v2beta1"


@dataclass
class FakeKubeflow:
    """The server's content and behaviour.

    `refuse` maps a method and path prefix to the status of the answer. Except for health requests,
    the server answers after `seconds`, and with `other` in place of its own answer. The API is
    below `prefix`, such as `/pipeline` in the full Kubeflow platform.
    """

    token: str | None = None
    refuse: dict[str, int] = field(default_factory=dict)
    html: bool = False
    seconds: float = 0
    other: bytes | None = None
    prefix: str = ""
    pipelines: dict[str, Json] = field(default_factory=dict)
    versions: dict[str, Json] = field(default_factory=dict)
    experiments: dict[str, Json] = field(default_factory=dict)
    runs: list[Json] = field(default_factory=list)
    schedules: dict[str, Json] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def serving(self) -> Iterator[FakeKubeflow]:
        """Runs the server at `url` for the duration of the context."""
        owner = self

        class Handler(_Handler):
            kubeflow = owner

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _RefusalError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    kubeflow: FakeKubeflow

    def log_message(self, *unused: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.kubeflow.asked.append(f"{self.command} {parts.path}")
        api = self.kubeflow.prefix + API
        try:
            self._check(parts.path, api)
            status, answer = 200, self._route(parts.path.removeprefix(api), query, body)
        except _RefusalError as refusal:
            status = refusal.status
            answer = {"error": str(refusal), "code": 3, "message": str(refusal), "details": []}
        text = b"<html>log in</html>" if self.kubeflow.html else json.dumps(answer).encode()
        if not parts.path.endswith("/healthz"):
            time.sleep(self.kubeflow.seconds)
            text = text if self.kubeflow.other is None else self.kubeflow.other
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _check(self, path: str, api: str) -> None:
        token = self.kubeflow.token
        if token and self.headers.get("authorization") != f"Bearer {token}":
            raise _RefusalError(401, "Request header error: there is no user identity header")
        if not path.startswith(api):
            raise _RefusalError(404, "Not Found")
        for prefix, status in self.kubeflow.refuse.items():
            if f"{self.command} {path}".startswith(prefix):
                raise _RefusalError(status, f"refused by the test: {path}")

    def _route(self, path: str, query: dict[str, str], body: bytes) -> Json:
        kubeflow = self.kubeflow
        if self.command == "DELETE":
            kubeflow.schedules.pop(path.removeprefix("/recurringruns/"))
            return {}
        if path == "/pipelines/upload_version":
            return self._add_version(query["pipelineid"], query["name"], body)
        if path.endswith("/versions"):
            found = [
                v for v in kubeflow.versions.values() if v["pipeline_id"] == path.split("/")[2]
            ]
            return {"pipeline_versions": _chosen(found, query)[::-1]}
        if self.command == "GET":
            return self._list(path, query)
        return self._create(path, json.loads(body))

    def _list(self, path: str, query: dict[str, str]) -> Json:
        kubeflow = self.kubeflow
        if path == "/healthz":
            return {"multi_user": False}
        if path == "/pipelines":
            return {"pipelines": _chosen(kubeflow.pipelines.values(), query)}
        if path == "/experiments":
            return {"experiments": _chosen(kubeflow.experiments.values(), query)}
        if path == "/recurringruns":
            return {"recurringRuns": _chosen(kubeflow.schedules.values(), query)}
        raise _RefusalError(404, f"no {path}")

    def _create(self, path: str, body: Json) -> Json:
        kubeflow = self.kubeflow
        if path == "/pipelines":
            return self._add_pipeline(body["display_name"])
        if path == "/experiments":
            made = {"experiment_id": f"e{len(kubeflow.experiments)}", **body}
            kubeflow.experiments[made["experiment_id"]] = made
            return made
        if path not in ("/runs", "/recurringruns"):
            raise _RefusalError(404, f"no {path}")
        self._check_run(body)
        if path == "/runs":
            kubeflow.runs.append({"run_id": f"r{len(kubeflow.runs)}", **body})
            return kubeflow.runs[-1]
        if len(body["trigger"]["cron_schedule"]["cron"].split()) != 6:
            raise _RefusalError(400, "the cron expression needs six fields")
        made = {"recurring_run_id": f"s{len(kubeflow.asked)}", **body}
        kubeflow.schedules[made["recurring_run_id"]] = made
        return made

    def _check_run(self, body: Json) -> None:
        reference = body["pipeline_version_reference"]
        version = self.kubeflow.versions.get(reference["pipeline_version_id"])
        if version is None or version["pipeline_id"] != reference["pipeline_id"]:
            raise _RefusalError(400, "no such version of the pipeline")
        if body["experiment_id"] not in self.kubeflow.experiments:
            raise _RefusalError(400, "no such experiment")
        known = version["spec"]["root"]["inputDefinitions"]["parameters"]
        for name in body["runtime_config"]["parameters"]:
            if name not in known:
                raise _RefusalError(400, f"parameter {name} is not of the pipeline")

    def _add_pipeline(self, name: str) -> Json:
        kubeflow = self.kubeflow
        if any(p["display_name"] == name for p in kubeflow.pipelines.values()):
            raise _RefusalError(409, "there is a pipeline of that name")
        made = {"pipeline_id": f"p{len(kubeflow.pipelines)}", "display_name": name}
        kubeflow.pipelines[made["pipeline_id"]] = made
        return made

    def _add_version(self, pipeline_id: str, name: str, body: bytes) -> Json:
        kubeflow = self.kubeflow
        of_pipeline = [v for v in kubeflow.versions.values() if v["pipeline_id"] == pipeline_id]
        if pipeline_id not in kubeflow.pipelines or any(
            v["display_name"] == name for v in of_pipeline
        ):
            raise _RefusalError(409, "no such pipeline, or there is a version of that name")
        spec, platform = self._documents(body)
        made: Json = {
            "pipeline_id": pipeline_id,
            "pipeline_version_id": f"v{len(kubeflow.versions)}",
            "display_name": name,
        }
        kubeflow.versions[made["pipeline_version_id"]] = {
            **made,
            "spec": spec,
            "platform": platform,
        }
        return made

    def _documents(self, body: bytes) -> tuple[Json, Json]:
        """Returns both documents of the uploaded file, read as the real server reads the form."""
        kind = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
        (part,) = message_from_bytes(kind + body).get_payload()  # type: ignore[misc]
        if part.get_param("name", header="content-disposition") != "uploadfile":  # type: ignore[union-attr]
            raise _RefusalError(400, "no uploadfile")
        name = part.get_filename()  # type: ignore[union-attr]
        documents = list(yaml.safe_load_all(part.get_payload(decode=True)))  # type: ignore[union-attr]
        if not name.endswith(".yaml") or documents[0].get("schemaVersion") != "2.1.0":
            raise _RefusalError(400, "unknown template format")
        platform = documents[1] if len(documents) > 1 else {}
        return documents[0], platform


def _chosen(items: Any, query: dict[str, str]) -> list[Json]:
    """Returns the items that the filter names, without the documents of a version."""
    predicates = json.loads(query.get("filter") or "{}").get("predicates", [])
    for predicate in predicates:
        # The operation EQUALS has the number 1.
        if predicate["operation"] not in (1, "EQUALS") or predicate["key"] not in (
            "display_name",
            "name",
        ):
            raise _RefusalError(400, "unknown filter")
    names = [predicate["stringValue"] for predicate in predicates]
    experiment = query.get("experiment_id")
    return [
        {key: value for key, value in item.items() if key not in ("spec", "platform")}
        for item in items
        if all(item["display_name"] == name for name in names)
        and (experiment is None or item["experiment_id"] == experiment)
    ]
