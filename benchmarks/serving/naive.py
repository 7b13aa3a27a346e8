"""A naive server: a thread for each request, and a call of the model for each request.

Run as `python -m benchmarks.serving.naive MODEL PORT`. It is what a small Flask application is
under `flask run`: Flask takes its requests, its responses and this server from Werkzeug.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable
from typing import Any

import tensorflow as tf
from werkzeug.serving import run_simple
from werkzeug.wrappers import Request, Response

from benchmarks.serving.rows import to_tensors


class NaiveApplication:
    """A WSGI application that answers each request with a call of a SavedModel."""

    def __init__(self, model: str) -> None:
        # The signature holds its model by a weak reference.
        self._model = tf.saved_model.load(model)
        self._signature = self._model.signatures["serving_default"]
        self._inputs = self._signature.structured_input_signature[1]

    def __call__(self, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        rows = Request(environment).get_json()["instances"]
        answer = json.dumps({"predictions": self._predict(rows)})
        return Response(answer, mimetype="application/json")(environment, start_response)

    def _predict(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        tensors = {n: tf.constant(v) for n, v in to_tensors(rows, self._inputs).items()}
        outputs = {n: v.numpy().tolist() for n, v in self._signature(**tensors).items()}
        outputs["class"] = [value.decode() for value in outputs["class"]]
        return [dict(zip(outputs, row, strict=True)) for row in zip(*outputs.values(), strict=True)]


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    run_simple("127.0.0.1", int(sys.argv[2]), NaiveApplication(sys.argv[1]), threaded=True)
