"""The gRPC server of a worker: limits, tokens, statuses and the log around each call.

Each worker binds the port itself (SO_REUSEPORT): gRPC cannot listen on a socket that it is given.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import grpc

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.text import printable
from serving.bearer_tokens import BearerTokens
from serving.errors import RequestError
from serving.http.access_log import AccessLog
from serving.http.connections import HANDSHAKE_SECONDS, limit_connections
from serving.http.metrics import EndpointMetrics
from serving.rpc.arrivals import Arrivals
from serving.rpc.service import Call, ModelService
from serving.waiting import request_limit

_MOST_CALLS = 256
"""Calls at once; those whose message may be read are fewer, see `Arrivals`."""
_CONNECTION_SECONDS = 300
"""After this time, a client connects again: a connection stays with one worker of one pod, and new
ones would get no work."""
_CLIENT_GONE = 499
"""Counts a call that its client has given up, as for HTTP."""

_CODES = {
    HTTPStatus.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: grpc.StatusCode.INVALID_ARGUMENT,
    HTTPStatus.UNAUTHORIZED: grpc.StatusCode.UNAUTHENTICATED,
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    # Clients may repeat UNAVAILABLE: gRPC maps both HTTP statuses to it, too.
    HTTPStatus.TOO_MANY_REQUESTS: grpc.StatusCode.UNAVAILABLE,
    HTTPStatus.SERVICE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    HTTPStatus.INTERNAL_SERVER_ERROR: grpc.StatusCode.INTERNAL,
}


class RpcServer:
    """A gRPC server on the event loop of the worker."""

    def __init__(
        self,
        address: str,
        service: ModelService,
        settings: ServerConfig,
        tokens: BearerTokens | None,
        log: AccessLog,
    ) -> None:
        """Prepares the server, which will bind `address`, `host:port`."""
        self._address = address
        self._settings = settings
        self._tokens = tokens
        self._log = log
        self._arrivals = Arrivals(settings.request_seconds)
        options = {
            "grpc.so_reuseport": 1,
            "grpc.max_receive_message_length": int(settings.max_body_megabytes * 1e6),
            "grpc.max_send_message_length": -1,
            # gRPC unpacks a message before it checks the size: 16 MB may become gigabytes. The
            # service refuses the packed bytes.
            "grpc.per_message_decompression": 0,
            # Otherwise gRPC lets fast clients send megabytes before the message is read.
            "grpc.http2.bdp_probe": 0,
            "grpc.max_allowed_incoming_connections": limit_connections(settings.max_connections),
            "grpc.server_handshake_timeout_ms": int(1000 * HANDSHAKE_SECONDS),
            "grpc.max_connection_age_ms": 1000 * _CONNECTION_SECONDS,
            "grpc.max_connection_age_grace_ms": int(1000 * settings.request_seconds),
        }
        self._server = grpc.aio.server(
            options=[*options.items()], maximum_concurrent_rpcs=_MOST_CALLS
        )
        for name, calls in service.calls.items():
            handlers = {method: self._guard(name, method, call) for method, call in calls.items()}
            generic = grpc.method_handlers_generic_handler(name, handlers)
            self._server.add_generic_rpc_handlers((generic,))

    async def start(self) -> None:
        """Binds the port and begins to answer.

        Not earlier: a worker that has bound the port gets its share of the connections.
        """
        key, certificate = self._settings.tls_key, self._settings.tls_certificate
        if key and certificate:
            pair = Path(key).read_bytes(), Path(certificate).read_bytes()
            self._server.add_secure_port(self._address, grpc.ssl_server_credentials([pair]))
        else:
            self._server.add_insecure_port(self._address)
        await self._server.start()

    async def stop(self) -> None:
        """Refuses new calls and waits for the begun ones, at most `drain_seconds`.

        A call has begun when its message has arrived.
        """
        self._arrivals.close()
        await self._server.stop(self._settings.drain_seconds)

    def _guard(self, service: str, method: str, call: Call) -> grpc.RpcMethodHandler:
        """Returns the handler of a method, which counts, logs and guards the call.

        It takes a stream, which is the same on the wire: so the token is checked before a message
        is read.
        """
        metrics = EndpointMetrics(f"grpc:{method}")

        async def handle(messages: AsyncIterator[bytes], context: Any) -> bytes:
            started = time.perf_counter()
            code, note = int(_CLIENT_GONE), ""
            try:
                try:
                    self._check_token(context)
                    with request_limit(self._settings.request_seconds):
                        answer, note = await call(await self._arrivals.read(messages))
                    content: bytes = answer.SerializeToString()
                    code = HTTPStatus.OK
                    return content
                except Exception as error:
                    status, words = _describe(error, method)
                # Not while the error is handled: gRPC keeps what `abort` raises, and the error's
                # traceback would keep the message in memory.
                code = status
                await context.abort(_CODES[status], words)
                raise AssertionError("abort raises")
            finally:
                seconds = time.perf_counter() - started
                metrics.count(int(code), seconds)
                client, path = _client(context.peer()), f"/{service}/{method}"
                self._log.add(client, "gRPC", path, int(code), seconds, note)

        return grpc.stream_unary_rpc_method_handler(handle)

    def _check_token(self, context: Any) -> None:
        if self._tokens is None:
            return
        given = dict(context.invocation_metadata() or ()).get("authorization", "")
        if not self._tokens.accept(given if isinstance(given, bytes) else given.encode()):
            raise RequestError(
                HTTPStatus.UNAUTHORIZED, "the metadata 'authorization: Bearer TOKEN' is needed"
            )


def _describe(error: Exception, method: str) -> tuple[HTTPStatus, str]:
    """Returns the status of a refusal, and the words for the client."""
    if isinstance(error, RequestError):
        return error.status, printable(error.message)
    logging.error("A call of %s failed", method, exc_info=error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, "internal error, see the log of the server"


def _client(peer: str) -> str:
    """Returns the address in `ipv4:127.0.0.1:4242` or `ipv6:%5B::1%5D:4242`."""
    return unquote(peer.partition(":")[2].rpartition(":")[0]).strip("[]") or "-"
