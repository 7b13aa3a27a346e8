"""The access log: a line per request, without cells."""

import asyncio

import pytest
from pushed_models import ROW
from running_server import RunningServer

from serving.http.access_log import AccessLog


def test_a_request_has_a_line_without_its_cells(server: RunningServer) -> None:
    assert server.post("/v1/models/tiny:predict?q=secret", json={"instances": [ROW] * 3}).ok
    server.wait_for(lambda: "3 rows, version 1" in server.output)
    line = next(line for line in server.lines if "3 rows, version 1" in line)
    assert "127.0.0.1 POST /v1/models/tiny:predict 200" in line
    assert "secret" not in server.output
    assert "Cash" not in server.output


def test_lines_are_printable_and_short(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        log = AccessLog(True)
        log.add("::1", "GET", "/\x1b[2J\n" + "x" * 5000, 404, 0.0012, "")
        AccessLog(False).add("::1", "GET", "/unseen", 404, 0.0, "")
        await asyncio.sleep(0.5)

    asyncio.run(main())
    (line,) = capsys.readouterr().out.splitlines()
    assert r"/\x1b[2J\n" in line
    assert line.endswith("404 1.2 ms")
    assert len(line) < 300
