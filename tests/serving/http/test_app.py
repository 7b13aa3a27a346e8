"""Health, readiness, the token, and paths that do not exist."""

import asyncio
from pathlib import Path

import pytest
import requests
from pushed_models import ROW
from running_server import RunningServer

from serving.bearer_tokens import BearerTokens
from serving.http.access_log import AccessLog
from serving.http.app import App
from serving.http.asgi import Message
from serving.http.body import BodyReader
from serving.http.predict import Predictor
from serving.http.tensorflow_api import TensorflowApi
from serving.model.batcher import BatchLimits
from serving.model.versions import Versions

TOKEN = "0123456789abcdef-token"


def test_health_and_readiness(server: RunningServer) -> None:
    assert server.get("/healthz").json() == {"status": "alive"}
    assert server.get("/readyz").json() == {
        "status": "ready",
        "model": "tiny",
        "version": "1",
        "loading": None,
        "problem": None,
    }


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/x", 404), ("POST", "/healthz", 405), ("DELETE", "/", 405), ("POST", "/x", 405)],
)
def test_other_paths_and_methods_are_refused_as_json(
    method: str, path: str, status: int, server: RunningServer
) -> None:
    answer = server.session.request(method, server.address + path, timeout=60)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


def test_head_has_no_body(server: RunningServer) -> None:
    answer = server.session.head(f"{server.address}/readyz", timeout=60)
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_path_is_escaped_in_the_answer(server: RunningServer) -> None:
    error = server.get("/%1b[31m").json()["error"]
    assert error == r"Not Found: /\x1b[31m"


def test_a_token_is_needed_for_all_but_probes_and_pages(pushed: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    with RunningServer("--model", pushed, "--token-file", file) as server:
        for path in ("/healthz", "/readyz", "/", "/docs", "/pages/try.js"):
            assert server.get(path).status_code == 200, path
        for path in ("/v1/models/tiny", "/openapi.json", "/metrics"):
            refused = server.get(path)
            assert refused.status_code == 401, path
            assert refused.headers["www-authenticate"] == "Bearer"
            assert server.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 401
            given = {"Authorization": f"Bearer {TOKEN}"}
            assert server.get(path, headers=given).status_code == 200, path
        assert server.predict(ROW).status_code == 401
        answer = requests.post(
            f"{server.address}/v1/models/tiny:predict",
            json={"instances": [ROW]},
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=60,
        )
        assert answer.status_code == 200
        assert TOKEN not in server.output


@pytest.mark.parametrize(("open_metrics", "status"), [(False, 401), (True, 200)])
def test_metrics_need_a_token_unless_they_are_open(
    open_metrics: bool, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    file = tmp_path / "token"
    file.write_text(TOKEN)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask(path: str) -> int:
        versions = Versions("tiny", BatchLimits(1, 0.0, 1), 1)
        bodies = BodyReader(1000)
        api = TensorflowApi(versions, Predictor(versions, bodies, 1, 1.0))
        tokens = BearerTokens(str(file))
        app = App(versions, api, AccessLog(False), tokens, open_metrics=open_metrics)
        scope = {"path": path, "method": "GET", "headers": [], "client": None}
        await app(scope, None, send)  # type: ignore[arg-type]
        return sent[-2]["status"]

    assert asyncio.run(ask("/metrics")) == status
    assert asyncio.run(ask("/v1/models/tiny")) == 401
