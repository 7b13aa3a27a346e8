"""Limits on the bodies of requests."""

import asyncio
import json
import socket
from collections.abc import Sequence
from typing import Any

import pytest
from pushed_models import ROW
from running_server import RunningServer

from serving.errors import RequestError
from serving.http.body import BodyReader, ClientGoneError


def read(
    reader: BodyReader, parts: Sequence[bytes], headers: Sequence[Any] = (), seconds: float = 5
) -> bytes:
    """Reads a body that arrives in parts; after an empty last part, the client sends nothing."""
    left = list(parts)

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.sleep(60)
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or part == b""}

    return asyncio.run(asyncio.wait_for(reader.read({"headers": headers}, receive), seconds))


def refusal(
    reader: BodyReader, parts: Sequence[bytes], headers: Sequence[Any] = ()
) -> RequestError:
    with pytest.raises(RequestError) as caught:
        read(reader, parts, headers)
    return caught.value


def test_a_body_is_joined_and_counted_until_its_release() -> None:
    reader = BodyReader(100)
    body = read(reader, [b"ab", b"cd", b"e"])
    assert (body, reader.held_bytes) == (b"abcde", 5)
    reader.release(body)
    assert reader.held_bytes == 0


@pytest.mark.parametrize(
    ("parts", "headers"),
    [
        ([b"x" * 101], []),
        ([b"x" * 60, b"x" * 60], []),
        ([b"x"], [(b"content-length", b"101")]),
        ([b"x"], [(b"content-length", b"9" * 5000)]),
    ],
    ids=["at once", "in parts", "announced", "announced absurdly"],
)
def test_a_large_body_is_refused_and_forgotten(parts: list[bytes], headers: list[Any]) -> None:
    reader = BodyReader(100)
    assert refusal(reader, parts, headers).status == 413
    assert reader.held_bytes == 0


def test_bodies_of_others_may_fill_the_memory() -> None:
    reader = BodyReader(100)
    bodies = [read(reader, [b"x" * 100]) for _ in range(16)]
    error = refusal(reader, [b"x"])
    assert (error.status, error.retry_after) == (429, 1)
    reader.release(bodies[0])
    assert read(reader, [b"x"]) == b"x"


@pytest.mark.parametrize("parts", [[b"x", b""], []], ids=["half", "nothing"])
def test_a_body_whose_time_is_over_is_forgotten(parts: list[bytes]) -> None:
    reader = BodyReader(100)
    with pytest.raises(asyncio.TimeoutError):
        read(reader, parts, seconds=0.2)
    assert reader.held_bytes == 0


def test_a_client_that_goes_away_gets_no_answer() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    with pytest.raises(ClientGoneError):
        asyncio.run(BodyReader(100).read({"headers": []}, receive))


def test_a_content_length_that_is_no_number_is_refused() -> None:
    assert refusal(BodyReader(100), [b"x"], [(b"content-length", b"-1")]).status == 400


def test_the_server_refuses_a_large_body_and_goes_on(server: RunningServer) -> None:
    answer = server.post("/v1/models/tiny:predict", data=b"x" * 17_000_000)
    assert answer.status_code == 413
    assert "serving.server.max_body_megabytes" in answer.json()["error"]
    chunked = server.post("/v1/models/tiny:predict", data=iter([b"x" * 1_000_000] * 17))
    assert chunked.status_code == 413
    assert server.predict(ROW).status_code == 200


def test_half_a_request_disturbs_nobody(server: RunningServer) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    body = json.dumps({"instances": [ROW]})
    with socket.create_connection((host, int(port))) as half:
        head = f"POST /v1/models/tiny:predict HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        half.sendall((head + body[:10]).encode())
    assert server.predict(ROW).status_code == 200
    assert "Traceback" not in server.output
