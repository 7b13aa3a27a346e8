"""What `serve` checks before it starts, and TLS."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import grpc
import pytest
from certificates import write_certificate
from pushed_models import ROW
from rpc_client import RpcClient, rpc_address
from running_server import RunningServer

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.errors import ConfigError
from serving.command import bind, serve


def refusal(directory: Path, **settings: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        serve("tiny", directory, ServerConfig(port=0, **settings), print)
    return caught.value


def test_a_port_in_use_is_told_before_anything_starts(pushed: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port}: Address already in use"):
            serve("tiny", pushed, ServerConfig(port=port), print)
        with pytest.raises(ConfigError, match=f"port {port}: Address already in use"):
            serve("tiny", pushed, ServerConfig(port=0, grpc_port=port), print)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"cannot listen on 192\.0\.2\.1"):
        bind("192.0.2.1", 0)


def test_a_bound_socket_refuses_connections_until_a_worker_listens() -> None:
    with bind("127.0.0.1", 0) as listener, pytest.raises(ConnectionRefusedError):
        socket.create_connection(listener.getsockname())


@pytest.mark.parametrize("content", [None, "", "short", "two words that are long enough", "ü" * 40])
def test_a_token_file_without_a_token_is_refused(
    content: str | None, pushed: Path, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    assert "serving.server.token_file" in refusal(pushed, token_file=str(file)).message


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_tokens_that_would_cross_the_network_unencrypted_are_refused(
    host: str, pushed: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-of-forty-characters")
    error = refusal(pushed, host=host, token_file=str(token))
    assert "would cross the network unencrypted" in error.message
    assert "--plain-tokens" in error.hint


@pytest.mark.parametrize(
    ("host", "plain_tokens"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)]
)
def test_tokens_are_taken_on_this_machine_or_behind_a_proxy(
    host: str, plain_tokens: bool, pushed: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-of-forty-characters")
    with socket.create_server((host, 0)) as taken:
        settings = ServerConfig(
            host=host, port=taken.getsockname()[1], token_file=str(token), plain_tokens=plain_tokens
        )
        # The port is bound after all checks of the tokens.
        with pytest.raises(ConfigError, match="Address already in use"):
            serve("tiny", pushed, settings, print)


@pytest.mark.parametrize("name", ["a/b", "a:b", ""])
def test_a_name_that_no_path_can_hold_is_refused(name: str, pushed: Path) -> None:
    with pytest.raises(ConfigError, match="cannot stand in the path of a request"):
        serve(name, pushed, ServerConfig(port=0), print)


def test_a_directory_without_a_model_is_refused(tmp_path: Path) -> None:
    assert "no model is served here yet" in refusal(tmp_path).message
    assert "no such directory" in refusal(tmp_path / "absent").message
    assert refusal(tmp_path).hint == "push one first: python -m pipeline run"


def test_tls_files_make_the_server_speak_https(pushed: Path, tmp_path: Path) -> None:
    chain, key = write_certificate(tmp_path)
    arguments = ("--model", pushed, "--tls-certificate", chain, "--tls-key", key)
    arguments += ("--grpc-port", "0")
    with RunningServer(*arguments) as server:
        assert server.address.startswith("https://127.0.0.1:")
        server.session.verify = str(chain)
        assert server.predict(ROW).status_code == 200
        credentials = grpc.ssl_channel_credentials(chain.read_bytes())
        with grpc.secure_channel(rpc_address(server), credentials) as channel:
            assert RpcClient(channel).predict(ROW).model_spec.version.value == 1
        host, port = server.address.removeprefix("https://").split(":")
        with socket.create_connection((host, int(port))) as plain:
            plain.sendall(b"GET /readyz HTTP/1.1\r\n\r\n")
            assert b"ready" not in plain.recv(1000)
        started = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - started < 20  # Not the 30 s of an unanswered TLS shutdown.


def test_wrong_tls_files_are_refused(pushed: Path, tmp_path: Path) -> None:
    chain, key = write_certificate(tmp_path)
    files = {"tls_certificate": str(chain), "tls_key": str(key)}
    for wrong in ({"tls_key": str(chain)}, {"tls_certificate": str(tmp_path / "absent")}):
        assert "tls_certificate" in refusal(pushed, **{**files, **wrong}).message


def test_the_command_itself_never_imports_tensorflow(pushed: Path) -> None:
    with RunningServer("--model", pushed) as server:
        libraries = Path(f"/proc/{server.process.pid}/maps").read_text()
        assert "tensorflow" not in libraries
        (worker,) = server.workers()
        assert "tensorflow" in Path(f"/proc/{worker.pid}/maps").read_text()
