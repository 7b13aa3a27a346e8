"""An engine that cannot work is refused before any work, with the way out."""

import socket
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from flink_answers import answering
from job_service import free_port

from components.engine.readiness import check_engine
from pipeline.config.engine.section import EngineConfig
from pipeline.core.errors import ConfigError


def refusal_of(engine: EngineConfig) -> str:
    with pytest.raises(ConfigError) as refusal:
        check_engine(engine)
    return f"{refusal.value.message} | {refusal.value.hint}"


def test_this_machine_is_always_ready() -> None:
    check_engine(EngineConfig(endpoint=f"localhost:{free_port()}"))


def test_an_endpoint_where_nothing_listens_is_refused() -> None:
    endpoint = f"localhost:{free_port()}"
    words = refusal_of(EngineConfig(kind="spark", endpoint=endpoint))
    assert f"engine.endpoint: no job server answers at {endpoint}: Connection refused" in words
    assert "--set engine.kind=local" in words


def test_a_host_that_does_not_exist_is_refused() -> None:
    words = refusal_of(EngineConfig(kind="flink", endpoint="no-such-host.invalid:8099"))
    assert "no job server answers at no-such-host.invalid:8099" in words


def test_an_endpoint_that_speaks_no_grpc_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.engine.readiness._SECONDS", 1.0)
    with socket.create_server(("localhost", 0)) as silent:
        endpoint = f"localhost:{silent.getsockname()[1]}"
        assert "is no job server" in refusal_of(EngineConfig(kind="flink", endpoint=endpoint))


def test_slots_and_page_of_flink_are_checked() -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    endpoint = f"localhost:{server.add_insecure_port('localhost:0')}"
    server.start()

    def make(parallelism: int, page: str) -> EngineConfig:
        return EngineConfig(kind="flink", endpoint=endpoint, parallelism=parallelism, page=page)

    try:
        with answering({"/overview": {"flink-version": "1.19.0", "slots-total": 2}}) as page:
            check_engine(make(2, page))
            words = refusal_of(make(3, page))
            assert "engine.parallelism: 3 parts need as many slots" in words
            assert "--set engine.parallelism=2" in words
        with answering({"/overview": {"flink-version": "1.19.0", "slots-total": 0}}) as page:
            assert "start TaskManagers" in refusal_of(make(1, page))
        assert "engine.page: Flink does not answer at" in refusal_of(make(1, page))
    finally:
        server.stop(None)
