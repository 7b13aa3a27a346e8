"""Errors of requests."""

from http import HTTPStatus

import pytest

from serving.errors import RequestError, bad_request


@pytest.mark.parametrize(("status", "seconds"), [(429, 1), (503, 1), (400, None), (413, None)])
def test_only_a_busy_server_asks_for_another_attempt(status: int, seconds: int | None) -> None:
    assert RequestError(HTTPStatus(status), "x").retry_after == seconds


def test_a_bad_request_has_status_400() -> None:
    assert (bad_request("x").status, str(bad_request("x"))) == (400, "x")
