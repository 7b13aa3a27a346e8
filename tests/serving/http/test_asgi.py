"""Responses as ASGI messages."""

import asyncio

from serving.http.asgi import Response


def test_a_response_is_two_messages_with_the_length_of_the_body() -> None:
    sent = []

    async def send(message: object) -> None:
        sent.append(message)

    asyncio.run(Response(b"{}", status=429, headers=((b"retry-after", b"1"),)).send(send))
    start, body = sent
    assert (start["status"], body["body"]) == (429, b"{}")
    assert dict(start["headers"]) == {
        b"content-type": b"application/json",
        b"content-length": b"2",
        b"retry-after": b"1",
    }
