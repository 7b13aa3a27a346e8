"""The calls of TensorFlow Serving's gRPC API: Predict, GetModelMetadata and GetModelStatus.

The messages are those of the package tensorflow-serving-api, which TFX brings.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from google.protobuf.json_format import ParseDict
from google.protobuf.message import DecodeError
from tensorflow_serving.apis.get_model_metadata_pb2 import (
    GetModelMetadataRequest,
    GetModelMetadataResponse,
    SignatureDefMap,
)
from tensorflow_serving.apis.get_model_status_pb2 import (
    GetModelStatusRequest,
    GetModelStatusResponse,
)
from tensorflow_serving.apis.predict_pb2 import PredictRequest, PredictResponse

from pipeline.core.contracts import Signature as SignatureName
from pipeline.core.text import counted
from serving.errors import bad_request
from serving.http.body import BodyReader
from serving.http.predict import LARGE_BODY
from serving.http.tensorflow_api import describe_states
from serving.model.versions import LoadedVersion, Versions
from serving.rows.values import Array
from serving.rpc.tensors import read_inputs, write_outputs

Message = Any
"""A protocol buffer, whose classes have no types."""
Call = Callable[[bytes], Awaitable[tuple[Message, str]]]
"""Returns the answer to the bytes of a request, and a note for the access log."""

_METADATA_FIELD = "signature_def"


class ModelService:
    """Answers calls with the current version."""

    def __init__(self, versions: Versions, bodies: BodyReader, most_rows: int) -> None:
        self._versions = versions
        self._bodies = bodies
        self._most_rows = most_rows
        self._converting = asyncio.Lock()
        self._large = ThreadPoolExecutor(1, "large-message")
        self.calls: Mapping[str, Mapping[str, Call]] = {
            "tensorflow.serving.PredictionService": {
                "Predict": self._predict,
                "GetModelMetadata": self._get_metadata,
            },
            "tensorflow.serving.ModelService": {"GetModelStatus": self._get_status},
        }
        """The calls by the names of their service and method; all raise RequestError."""

    async def _predict(self, body: bytes) -> tuple[Message, str]:
        self._bodies.hold(body)
        try:
            with contextlib.ExitStack() as leases:
                loaded, name, blocks, wanted = await self._read(body, leases)
                outputs = await loaded.batcher.predict(name, blocks)
                written = write_outputs(outputs, wanted)
                answer = PredictResponse(model_spec=self._describe(loaded, name), outputs=written)
                return answer, f"{counted(len(blocks[0]), 'row')}, version {loaded.version}"
        finally:
            self._bodies.release(body)

    async def _read(
        self, body: bytes, leases: contextlib.ExitStack
    ) -> tuple[LoadedVersion, str, tuple[Array, ...], Sequence[str]]:
        """Returns version, signature, blocks and outputs of a request; the version is leased."""
        async with self._make_converter(body) as convert:
            request = await convert(_parse, PredictRequest, body)
            spec = request.model_spec
            loaded = leases.enter_context(self._versions.lease(*_read_spec(spec)))
            name = spec.signature_name or SignatureName.SERVING_DEFAULT
            signature = loaded.find_signature(name)
            blocks = await convert(read_inputs, request.inputs, signature, self._most_rows)
            return loaded, name, blocks, [*request.output_filter]

    @contextlib.asynccontextmanager
    async def _make_converter(self, body: bytes) -> AsyncIterator[Callable[..., Awaitable[Any]]]:
        """Yields what calls a function of the body: at once, or in a thread for a large body."""
        if len(body) <= LARGE_BODY:
            yield _call
            return
        # One at a time: the values of a large body can take many times its bytes. The executor also
        # waits for the thread of a call whose time is over.
        async with self._converting:
            yield partial(asyncio.get_running_loop().run_in_executor, self._large)

    async def _get_metadata(self, body: bytes) -> tuple[Message, str]:
        request = _parse(GetModelMetadataRequest, body)
        if [*request.metadata_field] != [_METADATA_FIELD]:
            raise bad_request(f"metadata_field takes '{_METADATA_FIELD}' and nothing else")
        current = self._versions.find(*_read_spec(request.model_spec))
        answer = GetModelMetadataResponse(model_spec=self._describe(current, ""))
        signatures = SignatureDefMap(signature_def=current.model.definitions)
        answer.metadata[_METADATA_FIELD].Pack(signatures)
        return answer, ""

    async def _get_status(self, body: bytes) -> tuple[Message, str]:
        request = _parse(GetModelStatusRequest, body)
        states = describe_states(self._versions, *_read_spec(request.model_spec))
        return ParseDict(states, GetModelStatusResponse()), ""

    def _describe(self, loaded: LoadedVersion, signature: str) -> Message:
        """Returns the name, the version and the signature that answered."""
        number = int(loaded.version) if loaded.version.isdigit() else 0
        return {
            "name": self._versions.name,
            "version": {"value": number},
            "signature_name": signature,
        }


async def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _parse(message: Callable[[], Message], body: bytes) -> Message:
    try:
        return message.FromString(body)  # type: ignore[attr-defined]
    except DecodeError:
        raise bad_request(
            "the request is no valid protocol buffer, or it is compressed: send it uncompressed"
        ) from None


def _read_spec(spec: Message) -> tuple[str, str | None]:
    """Returns the name and the version that a request asks for, None for the current one."""
    if spec.version_label:
        raise bad_request("model_spec: this server has no version labels; give a version or none")
    return spec.name, str(spec.version.value) if spec.HasField("version") else None
