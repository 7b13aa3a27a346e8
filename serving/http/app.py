"""The application of a worker: finds the handler of a request, and counts, logs and guards it."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import orjson

from pipeline.core.text import printable
from serving.bearer_tokens import BearerTokens
from serving.errors import RequestError
from serving.http import metrics, openapi, pages
from serving.http.access_log import AccessLog
from serving.http.asgi import Receive, Response, Scope, Send
from serving.http.body import ClientGoneError
from serving.http.connections import SURPLUS
from serving.http.tensorflow_api import PREFIX, TensorflowApi
from serving.model.versions import Versions

Handler = Callable[[Scope, Receive], Awaitable[Response]]

_CLIENT_GONE = 499
"""The status that the log and the metrics give a request without a client, as nginx does."""


class App:
    """An ASGI application."""

    def __init__(
        self,
        versions: Versions,
        api: TensorflowApi,
        log: AccessLog,
        tokens: BearerTokens | None,
        *,
        open_metrics: bool,
    ) -> None:
        """Makes the application; without `tokens`, and for `open_metrics`, none is needed."""
        self._versions = versions
        self._api = api
        self._log = log
        self._tokens = tokens
        self._open = _OPEN | ({"/metrics"} if open_metrics else set())
        self._endpoints: Mapping[str, Handler] = {
            "/healthz": self._show_health,
            "/readyz": self._show_readiness,
            "/metrics": self._show_metrics,
            "/openapi.json": self._show_openapi,
        }
        self._pages = pages.read_pages()
        self._metrics = {
            name: metrics.EndpointMetrics(name)
            for name in (*self._endpoints, "predict", "model", "page", "other")
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        started = time.perf_counter()
        endpoint, handler = self._find(scope)
        code, note = _CLIENT_GONE, ""
        try:
            response = await self._answer(handler, scope, receive, is_open=endpoint in self._open)
            code, note = response.status, response.note
            await response.send(send)
        except ClientGoneError:
            pass
        finally:
            seconds = time.perf_counter() - started
            self._metrics[endpoint].count(int(code), seconds)
            client = (scope.get("client") or ("-",))[0]
            self._log.add(client, scope["method"], scope["path"], int(code), seconds, note)

    def _find(self, scope: Scope) -> tuple[str, Handler]:
        """Returns the name of the endpoint for the metrics, and its handler."""
        path = scope["path"]
        if path.startswith(PREFIX):
            return ("predict" if path.endswith(":predict") else "model"), self._ask_model
        if path in self._endpoints:
            return path, self._endpoints[path]
        return ("page", self._show_page) if path in self._pages else ("other", _refuse_path)

    async def _answer(
        self, handler: Handler, scope: Scope, receive: Receive, *, is_open: bool
    ) -> Response:
        try:
            if SURPLUS in scope.get("extensions", ()) and scope["path"] not in _ALWAYS:
                raise RequestError(
                    HTTPStatus.SERVICE_UNAVAILABLE,
                    "the server is full: it has serving.server.max_connections connections; "
                    "repeat the request later",
                )
            if not is_open:
                self._check_token(scope)
            if handler != self._ask_model and scope["method"] not in ("GET", "HEAD"):
                raise RequestError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET is allowed here")
            return await handler(scope, receive)
        except RequestError as error:
            return _describe(error)
        except ClientGoneError:
            raise
        except Exception:
            logging.exception("A request to %s failed", printable(scope["path"]))
            words = "internal error, see the log of the server"
            return _describe(RequestError(HTTPStatus.INTERNAL_SERVER_ERROR, words))

    def _check_token(self, scope: Scope) -> None:
        if self._tokens is None:
            return
        given = next((v for n, v in scope["headers"] if n == b"authorization"), b"")
        if not self._tokens.accept(given):
            raise RequestError(
                HTTPStatus.UNAUTHORIZED, "the header 'Authorization: Bearer TOKEN' is needed"
            )

    async def _ask_model(self, scope: Scope, receive: Receive) -> Response:
        content, note = await self._api.answer(scope, receive)
        body = content if isinstance(content, bytes) else orjson.dumps(content)
        return Response(body, note=note)

    async def _show_health(self, scope: Scope, receive: Receive) -> Response:
        return _to_response({"status": "alive"})

    async def _show_readiness(self, scope: Scope, receive: Receive) -> Response:
        current = self._versions.current
        ready = {
            "status": "ready" if current else "loading",
            "model": self._versions.name,
            "version": current and current.version,
            "loading": self._versions.loading or None,
            "problem": printable(self._versions.problem) or None,
        }
        return _to_response(ready, HTTPStatus.OK if current else HTTPStatus.SERVICE_UNAVAILABLE)

    async def _show_metrics(self, scope: Scope, receive: Receive) -> Response:
        return Response(metrics.write_metrics(), metrics.MEDIA_TYPE.encode())

    async def _show_openapi(self, scope: Scope, receive: Receive) -> Response:
        return _to_response(openapi.describe(self._versions, has_token=self._tokens is not None))

    async def _show_page(self, scope: Scope, receive: Receive) -> Response:
        return self._pages[scope["path"]]


_ALWAYS = {"/healthz", "/readyz", "/metrics"}
"""Paths that are answered also on a connection without a place."""
_OPEN = {"/healthz", "/readyz", "page", "other"}
"""Endpoints that need no token: probes send none, and the pages hold nothing of the model."""


async def _refuse_path(scope: Scope, receive: Receive) -> Response:
    raise RequestError(HTTPStatus.NOT_FOUND, f"Not Found: {scope['path']}")


def _to_response(content: object, status: int = HTTPStatus.OK) -> Response:
    return Response(orjson.dumps(content), status=status)


def _describe(error: RequestError) -> Response:
    headers: list[tuple[bytes, bytes]] = []
    if error.retry_after is not None:
        headers.append((b"retry-after", str(error.retry_after).encode()))
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    body = orjson.dumps({"error": printable(error.message)})
    return Response(body, status=error.status, headers=tuple(headers))
