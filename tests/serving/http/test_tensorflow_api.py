"""The REST API of TensorFlow Serving, asked by `requests` as its documentation shows."""

import base64
import json
import math

import pytest
import requests
import tensorflow as tf
from pushed_models import MISSING_ROW, ROW
from running_server import RunningServer

ROWS = [ROW, MISSING_ROW]
ANSWERS = [
    {"class": "no", "probability": pytest.approx(0.13)},
    {"class": "yes", "probability": pytest.approx(0.7)},
]


def test_the_call_of_the_documentation(server: RunningServer) -> None:
    data = json.dumps({"signature_name": "serving_default", "instances": ROWS})
    headers = {"content-type": "application/json"}
    url = f"{server.address}/v1/models/tiny:predict"
    json_response = requests.post(url, data=data, headers=headers, timeout=60)
    assert json_response.headers["content-type"] == "application/json"
    assert json.loads(json_response.text) == {"predictions": ANSWERS}


def test_rows_columns_and_examples_have_the_same_answers(server: RunningServer) -> None:
    assert server.predict(*ROWS).json()["predictions"] == ANSWERS
    bracketed = [{name: [value] for name, value in row.items()} for row in ROWS]
    assert server.predict(*bracketed).json()["predictions"] == ANSWERS
    columns = {name: [[row[name]] for row in ROWS] for name in ROW}
    assert server.predict(inputs=columns).json()["outputs"] == {
        name: [answer[name] for answer in ANSWERS] for name in ("class", "probability")
    }
    example = tf.train.Example()
    features = example.features.feature
    features["größe (cm)"].float_list.value.append(1)
    features["count"].int64_list.value.append(2)
    features["payment"].bytes_list.value.append(b"Cash")
    texts = tf.io.encode_base64([example.SerializeToString(), b""], pad=True).numpy()
    encoded = [{"b64": t.decode().replace("-", "+").replace("_", "/")} for t in texts]
    answer = server.predict(*encoded, signature_name="serving_examples")
    assert answer.json()["predictions"] == ANSWERS
    features["größe (cm)"].float_list.value[0] = math.inf
    infinite = {"b64": base64.b64encode(example.SerializeToString()).decode()}
    answer = server.predict(*encoded, infinite, signature_name="serving_examples")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("row 2: 'größe (cm)' takes a finite number")


def test_a_version_may_be_named(server: RunningServer) -> None:
    answer = server.post("/v1/models/tiny/versions/1:predict", json={"instances": ROWS})
    assert answer.json()["predictions"] == ANSWERS


@pytest.mark.parametrize("path", ["/v1/models/tiny", "/v1/models/tiny/versions/1"])
def test_the_status_names_the_version(path: str, server: RunningServer) -> None:
    assert server.get(path).json() == {
        "model_version_status": [
            {
                "version": "1",
                "state": "AVAILABLE",
                "status": {"error_code": "OK", "error_message": ""},
            }
        ]
    }


def test_the_metadata_names_signatures_types_and_shapes(server: RunningServer) -> None:
    metadata = server.get("/v1/models/tiny/metadata").json()
    assert metadata["model_spec"] == {"name": "tiny", "signature_name": "", "version": "1"}
    signatures = metadata["metadata"]["signature_def"]["signature_def"]
    assert set(signatures) == {"serving_default", "serving_examples"}
    default = signatures["serving_default"]
    assert default["method_name"] == "tensorflow/serving/predict"
    size = default["inputs"]["größe (cm)"]
    assert size["dtype"] == "DT_FLOAT"
    dimensions = [{"size": "-1", "name": ""}, {"size": "1", "name": ""}]
    assert size["tensor_shape"] == {"dim": dimensions, "unknown_rank": False}
    assert default["outputs"]["class"]["dtype"] == "DT_STRING"


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("POST", "/v1/models/other:predict", 404, "Servable not found for request: Latest(other)"),
        ("POST", "/v1/models/tiny/versions/7:predict", 404, "Specific(tiny, 7)"),
        ("GET", "/v1/models/tiny/versions/7", 404, "Specific(tiny, 7)"),
        ("GET", "/v1/models/tiny:predict", 400, "Malformed request: GET"),
        ("POST", "/v1/models/tiny", 400, "Malformed request: POST"),
        ("POST", "/v1/models/tiny:predicts", 400, "Malformed request"),
        ("POST", "/v1/models", 400, "Malformed request"),
        ("POST", "/v1/models/tiny:classify", 501, "use :predict"),
        ("GET", "/v1/models/tiny/versions/x", 400, "Malformed request"),
    ],
)
def test_errors_have_the_shape_and_the_status_of_tensorflow_serving(
    method: str, path: str, status: int, words: str, server: RunningServer
) -> None:
    answer = server.session.request(method, server.address + path, data="{}", timeout=60)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert words in answer.json()["error"]
