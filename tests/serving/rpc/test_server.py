"""Tokens, limits, the log and the end of the gRPC server."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from pushed_models import ROW
from rpc_client import RpcClient, make_request, rpc_address
from running_server import RunningServer
from tensorflow_serving.apis.predict_pb2 import PredictResponse

from pipeline.config.sections.serving import ServerConfig
from serving.command import bind
from serving.http.access_log import AccessLog
from serving.http.body import BodyReader
from serving.model.batcher import BatchLimits
from serving.model.versions import Versions
from serving.rpc.server import RpcServer
from serving.rpc.service import ModelService

PREDICT = "/tensorflow.serving.PredictionService/Predict"
GZIP = grpc.Compression.Gzip


@pytest.mark.parametrize("metadata", [(), (("authorization", "Bearer wrong"),)])
def test_a_call_without_the_token_is_refused(metadata: tuple, client: RpcClient) -> None:
    call = client.channel.unary_unary(PREDICT)
    with pytest.raises(grpc.RpcError) as caught:
        call(make_request(ROW).SerializeToString(), metadata=metadata, timeout=60)
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


@settings(max_examples=300, deadline=None)
@given(body=st.binary(max_size=200), cut=st.integers(0, 200))
def test_no_body_is_an_internal_error(body: bytes, cut: int, client: RpcClient) -> None:
    """Any bytes, and a right request with other bytes in its middle."""
    right = make_request(ROW).SerializeToString()
    call = client.channel.unary_unary(PREDICT)
    bodies = (body, right[:cut] + body + right[cut + len(body) :])
    calls = [call.future(content, metadata=client.metadata, timeout=60) for content in bodies]
    expected = (
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
    )
    assert all(answer.code() in expected for answer in calls), [a.details() for a in calls]


def test_a_request_with_too_many_rows_or_bytes_is_refused(client: RpcClient) -> None:
    status, message = client.refusal("Predict", make_request(*[ROW] * 10_001))
    assert (status, "10,001 rows" in message) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    status, _ = client.refusal("Predict", make_request({**ROW, "payment": "x" * 17_000_000}))
    assert status == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_methods_that_the_server_does_not_have_are_told(client: RpcClient) -> None:
    call = client.channel.unary_unary("/tensorflow.serving.PredictionService/Classify")
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", metadata=client.metadata, timeout=60)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_a_call_is_logged_without_cells_and_counted(
    client: RpcClient, rpc_server: RunningServer
) -> None:
    client.predict({**ROW, "payment": "secret cell"}, ROW)
    line = f"127.0.0.1 gRPC {PREDICT} 200 "
    rpc_server.wait_for(
        lambda: any(line in x and "2 rows, version 1" in x for x in rpc_server.lines)
    )
    assert "secret cell" not in rpc_server.output
    metrics = rpc_server.get("/metrics").text
    assert 'model_server_requests_total{code="200",endpoint="grpc:Predict"}' in metrics


@contextlib.asynccontextmanager
async def connect_to_server() -> AsyncIterator[grpc.aio.Channel]:
    """Yields a channel to a server without a model, in this process."""
    settings = ServerConfig(request_seconds=0.3, drain_seconds=0, max_body_megabytes=1)
    versions = Versions("tiny", BatchLimits(1, 0.0, 1), 1)
    service = ModelService(versions, BodyReader(1_000_000), 1)
    with bind("127.0.0.1", 0) as probe:
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    server = RpcServer(address, service, settings, None, AccessLog(False))
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield channel
    await server.stop()


def test_a_call_without_a_message_ends_in_time() -> None:
    async def main() -> tuple[grpc.StatusCode, str]:
        async with connect_to_server() as channel:
            call = channel.stream_unary(PREDICT)()
            await call.wait_for_connection()
            return await call.code(), await call.details()

    code, words = asyncio.run(main())
    assert (code, "0.3 s" in words) == (grpc.StatusCode.UNAVAILABLE, True), words


def test_a_compressed_message_is_refused_and_never_unpacked() -> None:
    async def main() -> tuple[grpc.StatusCode, str]:
        async with connect_to_server() as channel:
            # 10 kB on the wire, ten times the limit in memory.
            call = channel.unary_unary(PREDICT)(bytes(10_000_000), compression=GZIP)
            return await call.code(), await call.details()

    code, words = asyncio.run(main())
    assert (code, "compressed" in words) == (grpc.StatusCode.INVALID_ARGUMENT, True), words


def test_sigterm_answers_a_begun_call_and_waits_for_no_other(pushed: Path) -> None:
    with RunningServer("--model", pushed, "--grpc-port", "0") as server:
        address = rpc_address(server)
        sigterm_was_sent = threading.Event()

        def slow_body() -> Iterator[bytes]:
            """On the wire, one message after a pause is a call like any other."""
            sigterm_was_sent.wait(30)
            threading.Event().wait(0.3)
            yield make_request(*[ROW] * 3000).SerializeToString()

        with grpc.insecure_channel(address) as channel:
            call = channel.stream_unary(PREDICT, None, PredictResponse.FromString)
            answer = call.future(slow_body(), timeout=60)
            is_over = threading.Event()
            idle = call.future(iter(is_over.wait, True), timeout=60)
            # The same connection: its streams begin in this order.
            RpcClient(channel).predict(ROW)
            server.process.send_signal(signal.SIGTERM)
            sigterm_was_sent.set()
            assert tf.make_ndarray(answer.result().outputs["probability"]).shape == (3000,)
            started = time.monotonic()
            assert idle.code() == grpc.StatusCode.UNAVAILABLE
            assert server.stop() == 0
            assert time.monotonic() - started < 20  # Not the 30 s of drain_seconds.
            is_over.set()
        assert "Traceback" not in server.output
        with grpc.insecure_channel(address) as channel:
            status, _ = RpcClient(channel).refusal("Predict", make_request(ROW))
            assert status == grpc.StatusCode.UNAVAILABLE
