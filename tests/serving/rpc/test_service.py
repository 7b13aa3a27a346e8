"""The calls, with TensorFlow Serving's own client."""

from __future__ import annotations

import grpc
import pytest
import tensorflow as tf
from google.protobuf.json_format import MessageToDict
from pushed_models import ROW
from rpc_client import RpcClient, make_request
from running_server import RunningServer
from tensorflow_serving.apis.get_model_metadata_pb2 import GetModelMetadataRequest, SignatureDefMap
from tensorflow_serving.apis.get_model_status_pb2 import GetModelStatusRequest
from tensorflow_serving.apis.predict_pb2 import PredictRequest

SPEC = {"name": "tiny"}


def test_predictions_equal_those_over_http(client: RpcClient, rpc_server: RunningServer) -> None:
    rows = [{**ROW, "count": count} for count in range(300)]
    answer = client.predict(*rows)
    expected = rpc_server.predict(*rows).json()["predictions"]
    outputs = {name: tf.make_ndarray(tensor) for name, tensor in answer.outputs.items()}
    assert [p.decode() for p in outputs["class"]] == [p["class"] for p in expected]
    assert outputs["probability"].tolist() == pytest.approx([p["probability"] for p in expected])
    spec = answer.model_spec
    assert (spec.name, spec.version.value, spec.signature_name) == ("tiny", 1, "serving_default")


def test_a_large_request_is_answered(client: RpcClient) -> None:
    """A thread converts it."""
    answer = client.predict(*[ROW] * 10_000, output_filter=["probability"])
    assert set(answer.outputs) == {"probability"}
    assert tf.make_ndarray(answer.outputs["probability"]).shape == (10_000,)


def test_examples_may_leave_a_column_out(client: RpcClient) -> None:
    request = PredictRequest(model_spec={**SPEC, "signature_name": "serving_examples"})
    request.inputs["examples"].CopyFrom(
        tf.make_tensor_proto([tf.train.Example().SerializeToString()])
    )
    answer = client.call("Predict", request)
    assert tf.make_ndarray(answer.outputs["probability"]).tolist() == pytest.approx([0.7])


def test_metadata_holds_the_signatures(client: RpcClient) -> None:
    answer = client.call(
        "GetModelMetadata",
        GetModelMetadataRequest(model_spec=SPEC, metadata_field=["signature_def"]),
    )
    signatures = SignatureDefMap()
    assert answer.metadata["signature_def"].Unpack(signatures)
    assert {"serving_default", "serving_examples"} == set(signatures.signature_def)
    assert answer.model_spec.version.value == 1


def test_status_is_the_one_over_http(client: RpcClient, rpc_server: RunningServer) -> None:
    answer = client.call("GetModelStatus", GetModelStatusRequest(model_spec=SPEC))
    (state,) = MessageToDict(answer, preserving_proto_field_name=True)["model_version_status"]
    (expected,) = rpc_server.get("/v1/models/tiny").json()["model_version_status"]
    assert (state["version"], state["state"]) == (expected["version"], expected["state"])


@pytest.mark.parametrize(
    ("spec", "code", "words"),
    [
        ({"name": "other"}, "NOT_FOUND", "Latest(other)"),
        ({**SPEC, "version": {"value": 7}}, "NOT_FOUND", "Specific(tiny, 7)"),
        ({**SPEC, "version_label": "stable"}, "INVALID_ARGUMENT", "no version labels"),
        ({**SPEC, "signature_name": "x"}, "INVALID_ARGUMENT", "no signature 'x'"),
    ],
)
def test_what_the_server_does_not_have_is_refused(
    spec: dict, code: str, words: str, client: RpcClient
) -> None:
    request = make_request(ROW)
    request.model_spec.CopyFrom(PredictRequest(model_spec=spec).model_spec)
    status, message = client.refusal("Predict", request)
    assert status == grpc.StatusCode[code]
    assert words in message


def test_other_metadata_is_refused(client: RpcClient) -> None:
    status, _ = client.refusal("GetModelMetadata", GetModelMetadataRequest(model_spec=SPEC))
    assert status == grpc.StatusCode.INVALID_ARGUMENT
