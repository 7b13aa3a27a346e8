"""The REST API of TensorFlow Serving: status, metadata and predictions of the model.

Paths, JSON and status codes are those of https://www.tensorflow.org/tfx/serving/api_rest, so that
its clients work unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from serving.errors import RequestError, bad_request
from serving.http.asgi import Receive, Scope
from serving.http.predict import Predictor
from serving.model.versions import Versions

PREFIX = "/v1/"
_PATH = re.compile(
    r"/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>[0-9]+))?"
    r"(?:(?P<metadata>/metadata)|:(?P<verb>\w+))?"
)


class TensorflowApi:
    """Answers requests below `/v1/`."""

    def __init__(self, versions: Versions, predictor: Predictor) -> None:
        self._versions = versions
        self._predictor = predictor

    async def answer(self, scope: Scope, receive: Receive) -> tuple[bytes | Mapping[str, Any], str]:
        """Returns the JSON of the response, and a note for the access log.

        Raises:
          RequestError: the request cannot be answered.
          ClientGoneError: the client has gone.
        """
        method, path = scope["method"], scope["path"]
        match = _PATH.fullmatch(path)
        if match is None:
            raise bad_request(f"Malformed request: {method} {path}")
        name, version, verb = match["name"], match["version"], match["verb"]
        if verb == "predict" and method == "POST":
            return await self._predictor.answer(scope, receive, name, version)
        if verb in ("classify", "regress"):
            raise RequestError(
                HTTPStatus.NOT_IMPLEMENTED, f"the model has no signature for :{verb}; use :predict"
            )
        if verb is not None or method not in ("GET", "HEAD"):
            raise bad_request(f"Malformed request: {method} {path}")
        if match["metadata"]:
            return self._metadata(name, version), ""
        return describe_states(self._versions, name, version), ""

    def _metadata(self, name: str, version: str | None) -> Mapping[str, Any]:
        current = self._versions.find(name, version)
        definitions = current.model.definitions
        signatures = {n: _describe_signature(d) for n, d in definitions.items()}
        return {
            "model_spec": {"name": name, "signature_name": "", "version": current.version},
            "metadata": {"signature_def": {"signature_def": signatures}},
        }


def describe_states(versions: Versions, name: str, version: str | None) -> dict[str, Any]:
    """Returns the states of the versions, in the JSON of a GetModelStatusResponse.

    Raises:
      RequestError: another model or version is asked for, or no version is loaded.
    """
    current = versions.find(name, version)
    states = [(current.version, "AVAILABLE")]
    if versions.candidate is not None and version is None:
        states.append((versions.candidate.version, "LOADING"))
    return {
        "model_version_status": [
            {
                "version": number,
                "state": state,
                "status": {"error_code": "OK", "error_message": ""},
            }
            for number, state in states
        ]
    }


def _describe_signature(definition: Any) -> Mapping[str, Any]:
    return {
        "inputs": {n: _describe_tensor(info) for n, info in sorted(definition.inputs.items())},
        "outputs": {n: _describe_tensor(info) for n, info in sorted(definition.outputs.items())},
        "method_name": definition.method_name,
        "defaults": {},
    }


def _describe_tensor(info: Any) -> Mapping[str, Any]:
    dtype = info.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number[info.dtype].name
    # 64-bit integers are text in the JSON of protocol buffers.
    dimensions = [{"size": str(dim.size), "name": dim.name} for dim in info.tensor_shape.dim]
    shape = {"dim": dimensions, "unknown_rank": info.tensor_shape.unknown_rank}
    return {"dtype": dtype, "tensor_shape": shape, "name": info.name}
