"""Fixtures: a server with gRPC and a token, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from rpc_client import TOKEN, RpcClient, rpc_address
from running_server import RunningServer


@pytest.fixture(scope="session")
def rpc_server(pushed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    file = tmp_path_factory.mktemp("rpc") / "token"
    file.write_text(TOKEN)
    arguments = ("--model", pushed, "--grpc-port", "0", "--token-file", file)
    with RunningServer(*arguments) as running:
        running.session.headers["Authorization"] = f"Bearer {TOKEN}"
        yield running


@pytest.fixture(scope="session")
def client(rpc_server: RunningServer) -> Iterator[RpcClient]:
    with grpc.insecure_channel(rpc_address(rpc_server)) as channel:
        yield RpcClient(channel)
