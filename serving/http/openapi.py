"""The OpenAPI description of the server, with the columns of the model and an example row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pipeline.core.contracts import Output
from pipeline.core.contracts import Signature as SignatureName
from serving.model.example_row import ColumnExample
from serving.model.versions import LoadedVersion, Versions
from serving.rows.signature import DType, Signature, Tensor

Json = dict[str, Any]

_TYPES: dict[DType, str] = {"float32": "number", "int64": "integer", "string": "string"}
_FORMATS: dict[DType, str] = {"float32": "float", "int64": "int64"}
_CODES = {
    "400": "The request is wrong; the message names the column and the row.",
    "401": "The token is missing or wrong.",
    "404": "The server has no such model or version.",
    "413": "The body or the number of rows is too large.",
    "429": "The server is full; repeat the request after `Retry-After` seconds.",
    "501": "The model has no signature for `:classify` and `:regress`; use `:predict`.",
    "503": "The server is not ready or too slow; repeat the request after `Retry-After` seconds.",
}


def describe(versions: Versions, *, has_token: bool) -> Json:
    """Returns an OpenAPI 3.1 document for the current version.

    Raises:
      RequestError: no version is loaded.
    """
    loaded = versions.find(versions.name, None)
    base = f"/v1/models/{quote(versions.name)}"
    document: Json = {
        "openapi": "3.1.0",
        "info": {
            "title": f"Model {versions.name}",
            "version": loaded.version,
            "description": "The REST API of TensorFlow Serving. `null` is a missing value.",
        },
        "paths": {
            f"{base}:predict": {"post": _describe_predict(loaded)},
            base: {"get": _describe_get("The state of the served version")},
            f"{base}/metadata": {"get": _describe_get("The signatures of the model")},
            "/readyz": {"get": _describe_get("Whether a model is loaded, and problems")},
            "/healthz": {"get": _describe_get("Whether the process is alive")},
            "/metrics": {"get": _describe_get("Metrics for Prometheus", "text/plain")},
        },
    }
    if has_token:
        document["components"] = {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}
        }
        document["security"] = [{"token": []}]
    return document


def _describe_predict(loaded: LoadedVersion) -> Json:
    signature = loaded.model.signatures[SignatureName.SERVING_DEFAULT]
    example = {name: column.value for name, column in loaded.examples.items()}
    body = {
        "schema": _describe_request(signature, loaded.examples),
        "example": {"instances": [example]},
    }
    answer = {"schema": _describe_answer(signature, loaded.positive_class)}
    return {
        "summary": "Predictions for rows",
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {
            "200": {
                "description": "A prediction for each row.",
                "content": {"application/json": answer},
            },
            **{code: _describe_error(text) for code, text in _CODES.items()},
        },
    }


def _describe_request(signature: Signature, examples: Mapping[str, ColumnExample]) -> Json:
    columns = {
        tensor.name: _describe_column(tensor, examples[tensor.name]) for tensor in signature.inputs
    }
    row = {
        "type": "object",
        "properties": columns,
        "required": list(columns),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "instances": {"type": "array", "minItems": 1, "items": row},
            "signature_name": {"type": "string", "default": SignatureName.SERVING_DEFAULT},
        },
        "required": ["instances"],
    }


def _describe_column(tensor: Tensor, example: ColumnExample) -> Json:
    described: Json = {"type": [_TYPES[tensor.dtype], "null"], "examples": [example.value]}
    if tensor.dtype in _FORMATS:
        described["format"] = _FORMATS[tensor.dtype]
    if example.choices:
        described["examples"] = list(example.choices)
    if tensor.times:
        described["description"] = f"A time in the format {tensor.times.wanted}."
    return described


def _describe_answer(signature: Signature, positive_class: str) -> Json:
    outputs = {tensor.name: _describe_output(tensor) for tensor in signature.outputs}
    if Output.PROBABILITY in outputs:
        # The page shows the title: beside the predicted class, a bare "probability" reads as that
        # of this class.
        name = positive_class or "the positive class"
        outputs[Output.PROBABILITY]["title"] = f"probability of {name}"
    row = (
        next(iter(outputs.values()))
        if len(outputs) == 1
        else {
            "type": "object",
            "properties": outputs,
        }
    )
    return {"type": "object", "properties": {"predictions": {"type": "array", "items": row}}}


def _describe_output(tensor: Tensor) -> Json:
    item: Json = {"type": _TYPES[tensor.dtype]}
    return {"type": "array", "items": item} if tensor.rank == 2 else item


def _describe_get(summary: str, media_type: str = "application/json") -> Json:
    return {
        "summary": summary,
        "responses": {"200": {"description": summary, "content": {media_type: {}}}},
    }


def _describe_error(text: str) -> Json:
    schema = {"type": "object", "properties": {"error": {"type": "string"}}}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
