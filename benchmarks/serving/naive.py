"""A naive server: a thread for each connection, and a call of the model for each request.

Run as `python -m benchmarks.serving.naive MODEL PORT`. Flask applications are often written so. The
server is Python's own, which keeps connections open as Flask behind gunicorn does.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import tensorflow as tf

from benchmarks.serving.rows import to_tensors


def make_handler(model: str) -> type[BaseHTTPRequestHandler]:
    """Returns the handler of requests for a SavedModel."""
    loaded = tf.saved_model.load(model)
    signature = loaded.signatures["serving_default"]
    inputs = signature.structured_input_signature[1]

    def predict(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        tensors = {name: tf.constant(values) for name, values in to_tensors(rows, inputs).items()}
        outputs = {name: value.numpy().tolist() for name, value in signature(**tensors).items()}
        outputs["class"] = [value.decode() for value in outputs["class"]]
        return [dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1
        """Sends headers and body together, once the body is written."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = json.dumps({"predictions": predict(json.loads(body)["instances"])}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *unused: object) -> None:
            """Writes no access log."""

    # The signature holds its model by a weak reference.
    Handler.model = loaded  # type: ignore[attr-defined]
    return Handler


if __name__ == "__main__":
    handler = make_handler(sys.argv[1])
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), handler).serve_forever()
