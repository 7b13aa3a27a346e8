"""A naive server: Flask's own server calls the model once per request in a thread.

Run as `python -m benchmarks.serving.naive MODEL PORT`. Flask is not installed here; Werkzeug is the
server and the request class of Flask.
"""

from __future__ import annotations

import json
import logging
import sys

import tensorflow as tf
from werkzeug.serving import WSGIRequestHandler, run_simple
from werkzeug.wrappers import Request, Response

from benchmarks.serving.rows import to_tensors


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True


def make_app(model: str) -> object:
    """Returns a WSGI application for the SavedModel."""
    signature = tf.saved_model.load(model).signatures["serving_default"]
    inputs = signature.structured_input_signature[1]

    @Request.application
    def predict(request: Request) -> Response:
        rows = json.loads(request.get_data())["instances"]
        tensors = {name: tf.constant(v) for name, v in to_tensors(rows, inputs).items()}
        outputs = {name: value.numpy().tolist() for name, value in signature(**tensors).items()}
        texts = {n: [v.decode() if isinstance(v, bytes) else v for v in vs] for n, vs in outputs.items()}
        predictions = [dict(zip(texts, row)) for row in zip(*texts.values())]
        return Response(json.dumps({"predictions": predictions}), mimetype="application/json")

    return predict


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    run_simple(
        "127.0.0.1", int(sys.argv[2]), make_app(sys.argv[1]), threaded=True, request_handler=_Handler
    )
