"""RequestError: a request that is not answered with predictions, and the status that says why."""

from __future__ import annotations

from http import HTTPStatus

_RETRY_SECONDS = 1
"""What `Retry-After` tells a client of a full server: a full queue empties in less than a second
at the speed of a usual model."""


class RequestError(Exception):
    """An HTTP status above 399 with a message for the client, which is not escaped yet."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    @property
    def retry_after(self) -> int | None:
        """The seconds after which a repeated request may succeed; None if it cannot."""
        busy = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
        return _RETRY_SECONDS if self.status in busy else None


def too_many_rows(rows: int, most_rows: int) -> RequestError:
    """Returns the error of a request that is too large."""
    return RequestError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the request has {rows:,} rows, more than {most_rows:,} "
        "(serving.server.max_rows); send several requests",
    )


def bad_request(message: str) -> RequestError:
    """Returns the error of a request that can never succeed as it is."""
    return RequestError(HTTPStatus.BAD_REQUEST, message)


def timeout_error(seconds: float) -> RequestError:
    """Returns the error of a request that took too long."""
    return RequestError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"no predictions after {seconds:g} s (serving.server.request_seconds)",
    )
