"""Guards the worker processes that Beam's local runner starts.

In the modes multi_processing and multi_threading, the runner opens ports for its workers. They are
on all addresses of the machine, and ask for no password: whoever reaches them takes part in the
work, and reads rows. The workers are on this machine, so loopback is enough. A network namespace,
as the training's workers have, is impossible: the runner lives in the process of the whole run,
which may need object stores and other servers.

If a worker process is killed, for example because the machine runs out of memory, the runner may
wait for its answer for ever. Here, each request to a lost worker fails with the reason.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

from apache_beam.portability import python_urns
from apache_beam.portability.api import beam_fn_api_pb2
from apache_beam.runners.portability import local_job_service
from apache_beam.runners.portability.fn_api_runner import worker_handlers

_ALL_ADDRESSES = "[::]"
_SECONDS_TO_END = 10


def guard_beam_workers() -> None:
    """Guards the workers of all Beam pipelines that this process runs from now on."""
    if isinstance(worker_handlers.grpc, _LoopbackGrpc):
        return
    worker_handlers.grpc = local_job_service.grpc = _LoopbackGrpc(worker_handlers.grpc)
    worker_handlers.GrpcServer = _LoudGrpcServer
    register = worker_handlers.WorkerHandler.register_environment(python_urns.SUBPROCESS_SDK, bytes)
    register(_WatchedWorkerHandler)


class _LoopbackGrpc:
    """The module grpc as Beam's runner sees it; servers listen on loopback."""

    def __init__(self, grpc: Any) -> None:
        self._grpc = grpc

    def __getattr__(self, name: str) -> Any:
        return getattr(self._grpc, name)

    def server(self, *arguments: Any, **named: Any) -> Any:
        """Returns a server; what its caller binds to all addresses is bound to loopback."""
        server = self._grpc.server(*arguments, **named)
        bind = server.add_insecure_port

        def bind_to_loopback(address: str) -> int:
            return int(bind(address.replace(_ALL_ADDRESSES, "localhost")))

        server.add_insecure_port = bind_to_loopback
        return server


class _LoudGrpcServer(worker_handlers.GrpcServer):
    """Beam's servers, which say who still reaches them."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        ports = self.control_port, self.data_port, self.state_port, self.logging_port
        logging.warning(
            "Beam's workers use the ports %s on loopback, and one more for the log of each worker, "
            "without a password: other users of this machine reach them while the component works",
            ", ".join(map(str, ports)),
        )


class _WatchedWorkerHandler(worker_handlers.SubprocessSdkWorkerHandler):
    """The runner's side of a worker process, which notices that the process is lost."""

    def start_worker(self) -> None:
        """Starts the process, and a thread that waits for its end."""
        self.worker = local_job_service.SubprocessSdkWorker(
            self._worker_command_line, self.control_address, self.provision_info, self.worker_id
        )
        self._is_lost = threading.Event()
        self._read = self.data_conn.input_elements
        self.data_conn.input_elements = self._read_outputs
        self.worker_thread = threading.Thread(target=self._watch, name="Beam worker", daemon=True)
        self.worker_thread.start()

    def close(self) -> None:
        """Ends the process. Beam forgets the mark of the end if the worker is still starting."""
        self.control_conn.push(worker_handlers.BeamFnControlServicer._DONE_MARKER)
        super().close()

    def _watch(self) -> None:
        try:
            self.worker.run()
        except RuntimeError as error:
            _fail_requests(
                self.control_conn,
                f"A worker process of Beam was lost, perhaps for lack of memory. {error}",
            )
            self._is_lost.set()

    def _read_outputs(self, *arguments: Any, **named: Any) -> Iterator[Any]:
        """Yields what the worker sends. If the worker is lost, its answer has the reason."""
        try:
            yield from self._read(*arguments, **named)
        except Exception:
            # A process closes its connections a little before it ends.
            if not self._is_lost.wait(_SECONDS_TO_END):
                raise


def _fail_requests(connection: Any, message: str) -> None:
    """Answers all requests of a connection with an error: those that wait, and those to come."""
    push = connection.push

    def push_in_vain(request: Any) -> Any:
        future = push(request)
        if future is not None:  # None is for the mark that the connection ends.
            future.set(_make_answer(request.instruction_id, message))
        return future

    connection.push = push_in_vain
    for identity, future in list(connection._futures_by_id.items()):
        future.set(_make_answer(identity, message))


def _make_answer(identity: str, message: str) -> Any:
    return beam_fn_api_pb2.InstructionResponse(instruction_id=identity, error=message)
