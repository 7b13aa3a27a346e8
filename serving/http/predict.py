"""Answers a predict request: body, rows, one shared call of the model, response."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from pipeline.core.text import counted
from serving.http.asgi import Receive, Scope
from serving.http.body import BodyReader
from serving.model.versions import LoadedVersion, Versions
from serving.rows.request import Rows, parse_json, read_rows, signature_name
from serving.rows.response import write_predictions
from serving.waiting import request_limit

LARGE_BODY = 200_000
"""Bytes of a body from which on a thread converts it: converting takes over 5 ms then, in which
the event loop would answer nobody."""
_LARGE_ANSWER = 2000
"""Rows from which on a thread writes the response, for the same reason."""


class Predictor:
    """Answers predict requests with the current version."""

    def __init__(
        self, versions: Versions, bodies: BodyReader, most_rows: int, seconds: float
    ) -> None:
        """`seconds`: the most from the headers of a request to its predictions."""
        self._versions = versions
        self._bodies = bodies
        self._most_rows = most_rows
        self._seconds = seconds
        # One at a time: the values of a large body take twenty times its bytes.
        self._large = ThreadPoolExecutor(1, "large-body")

    async def answer(
        self, scope: Scope, receive: Receive, name: str, version: str | None
    ) -> tuple[bytes, str]:
        """Returns the JSON of the predictions, and a note for the access log.

        Raises:
          RequestError: the request cannot be answered, or not in time.
          ClientGoneError: the client has gone.
        """
        self._versions.find(name, version)
        with request_limit(self._seconds):
            return await self._answer(scope, receive, name, version)

    async def _answer(
        self, scope: Scope, receive: Receive, name: str, version: str | None
    ) -> tuple[bytes, str]:
        body = await self._bodies.read(scope, receive)
        try:
            with self._versions.lease(name, version) as loaded:
                return await self._predict(body, loaded)
        finally:
            self._bodies.release(body)

    async def _predict(self, body: bytes, loaded: LoadedVersion) -> tuple[bytes, str]:
        if len(body) < LARGE_BODY:
            signature, rows = self._read(body, loaded)
        else:
            loop = asyncio.get_running_loop()
            signature, rows = await loop.run_in_executor(self._large, self._read, body, loaded)
        outputs = await loaded.batcher.predict(signature, rows.blocks)
        if rows.count < _LARGE_ANSWER:
            answer = write_predictions(outputs, is_row_format=rows.is_row_format)
        else:
            answer = await asyncio.to_thread(
                write_predictions, outputs, is_row_format=rows.is_row_format
            )
        return answer, f"{counted(rows.count, 'row')}, version {loaded.version}"

    def _read(self, body: bytes, loaded: LoadedVersion) -> tuple[str, Rows]:
        request = parse_json(body)
        name = signature_name(request)
        return name, read_rows(request, loaded.find_signature(name), self._most_rows)
