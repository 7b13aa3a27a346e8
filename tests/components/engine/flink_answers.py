"""A web server that answers as Flink's REST API does; `make test-engine` asks a real Flink."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answers = dict[str, Any]


@contextlib.contextmanager
def answering(answers: Answers, asked: list[str] | None = None) -> Iterator[str]:
    """Yields the address of a server that gives `answers`, by path, as JSON.

    A cancellation sets the state of the job in the answer to /jobs/overview.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path in answers
            text = answers.get(self.path, {})
            body = text if isinstance(text, bytes) else json.dumps(text).encode()
            self._answer(200 if known else 404, body)

        def do_PATCH(self) -> None:
            if asked is not None:
                asked.append(self.path)
            for job in answers["/jobs/overview"]["jobs"]:
                if self.path == f"/jobs/{job['jid']}?mode=cancel":
                    job["state"] = "CANCELED"
            self._answer(202, b"{}")

        def _answer(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *unused: Any) -> None:
            pass

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def make_job(jid: str, name: str, state: str = "RUNNING", start: int = 1) -> dict[str, Any]:
    """Returns a job as /jobs/overview lists it."""
    return {"jid": jid, "name": name, "state": state, "start-time": start}
