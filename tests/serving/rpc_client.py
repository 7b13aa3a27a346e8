"""TensorFlow Serving's own client of the gRPC API, for the tests."""

from __future__ import annotations

import re
from typing import Any

import grpc
import pytest
import tensorflow as tf
from pushed_models import COLUMNS
from running_server import RunningServer
from tensorflow_serving.apis import model_service_pb2_grpc, prediction_service_pb2_grpc
from tensorflow_serving.apis.predict_pb2 import PredictRequest, PredictResponse

TOKEN = "0123456789abcdef-token"


class RpcClient:
    """The stubs of tensorflow-serving-api, with the token in each call."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.metadata = (("authorization", f"Bearer {TOKEN}"),)
        self._predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        self._models = model_service_pb2_grpc.ModelServiceStub(channel)

    def call(self, method: str, request: Any) -> Any:
        stub = self._models if hasattr(self._models, method) else self._predictions
        return getattr(stub, method)(request, timeout=60, metadata=self.metadata)

    def predict(self, *rows: dict[str, Any], **fields: Any) -> PredictResponse:
        return self.call("Predict", make_request(*rows, **fields))

    def refusal(self, method: str, request: Any) -> tuple[grpc.StatusCode, str]:
        """Returns the status and the message of a call that is refused."""
        with pytest.raises(grpc.RpcError) as caught:
            self.call(method, request)
        return caught.value.code(), caught.value.details()


def make_request(*rows: dict[str, Any], **fields: Any) -> PredictRequest:
    """Returns a request for rows of the tiny model."""
    request = PredictRequest(model_spec={"name": "tiny"}, **fields)
    for name, dtype in COLUMNS.items():
        values = tf.constant([[row[name]] for row in rows], dtype)
        request.inputs[name].CopyFrom(tf.make_tensor_proto(values))
    return request


def rpc_address(server: RunningServer) -> str:
    """Returns the address of gRPC, which the server prints after that of HTTP."""

    def find() -> re.Match[str] | None:
        return re.search(r"^gRPC: (\S+)$", server.output, re.MULTILINE)

    server.wait_for(find)
    found = find()
    assert found, server.output
    return found[1]
