"""Workers, as processes: what happens when one is killed, and when its supervisor is."""

import signal
from pathlib import Path

import grpc
import psutil
import pytest
from pushed_models import ROW
from rpc_client import RpcClient, rpc_address
from running_server import RunningServer

pytestmark = pytest.mark.slow


def test_a_killed_worker_is_replaced_and_the_others_answer_meanwhile(pushed: Path) -> None:
    arguments = ("--model", pushed, "--workers", "2", "--no-access-log", "--grpc-port", "0")
    with RunningServer(*arguments) as server:
        server.wait_for(lambda: len(server.workers()) == 2)
        killed, other = server.workers()
        own_connection = [("grpc.use_local_subchannel_pool", 1)]
        killed.kill()
        # A zombie may still have threads, which hold its port.
        server.wait_for(lambda: not killed.is_running())
        for _ in range(20):
            server.session.close()  # A new connection, which the other worker accepts.
            assert server.predict(ROW).status_code == 200
            with grpc.insecure_channel(rpc_address(server), own_connection) as channel:
                RpcClient(channel).predict(ROW)
        server.wait_for(lambda: len(server.workers()) == 2 and killed not in server.workers())
        assert other in server.workers()
        assert "Worker 0 ended (-9)" in server.output or "Worker 1 ended (-9)" in server.output
        assert server.stop() == 0


def test_workers_end_when_their_supervisor_is_killed(pushed: Path) -> None:
    with RunningServer("--model", pushed) as server:
        (worker,) = server.workers()
        server.stop(signal.SIGKILL)
        psutil.wait_procs([worker], timeout=30)
        assert not worker.is_running()
