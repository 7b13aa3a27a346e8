"""Starts Beam's Python workers beside a TaskManager of Flink or an executor of Spark.

    python -m pipeline.runners.worker_pool --port 50000

The engine asks this pool for a harness, the process that runs the functions of a component. If a
harness dies, Beam's own pool stays, and the job waits for that harness for ever. This pool ends
with an error instead. Then whoever started the pod (Kubernetes, or `deploy/flink/local/pod.py`)
replaces the pool and the engine's process together.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from concurrent import futures
from typing import Any

import grpc
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

from pipeline.core.processes import INTERRUPTED, interrupted_when_terminated, leave, wait_or_kill

_HARNESS = "pipeline.runners.worker_harness"
_LOOK_SECONDS = 0.2
"""How often the pool looks for dead harnesses."""
_GRACE_SECONDS = 5.0
"""How long a harness may take to end after SIGTERM."""


class WorkerPool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):
    """Starts and stops harnesses when the engine asks for it, and knows which of them died."""

    def __init__(self) -> None:
        self._harnesses: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def StartWorker(self, request: Any, context: Any) -> Any:  # noqa: N802, gRPC's name
        """Starts the harness that the engine asks for."""
        command = [sys.executable, "-m", _HARNESS, request.control_endpoint.url, request.worker_id]
        # The pipe closes when this process ends, however it ends, and the harness ends too.
        harness = subprocess.Popen(command, stdin=subprocess.PIPE)
        with self._lock:
            self._harnesses[request.worker_id] = harness
        _log(f"started the harness {request.worker_id}, process {harness.pid}")
        return beam_fn_api_pb2.StartWorkerResponse()

    def StopWorker(self, request: Any, context: Any) -> Any:  # noqa: N802, gRPC's name
        """Ends a harness that the engine no longer needs."""
        with self._lock:
            harness = self._harnesses.pop(request.worker_id, None)
        if harness is not None:
            _end(harness)
            _log(f"stopped the harness {request.worker_id}")
        return beam_fn_api_pb2.StopWorkerResponse()

    def find_dead(self) -> str | None:
        """Returns a sentence about a harness that died, or None.

        Code 0 is no accident: a harness ends so when the engine closes its connection.
        """
        with self._lock:
            for worker, harness in list(self._harnesses.items()):
                code = harness.poll()
                if code == 0:
                    del self._harnesses[worker]
                elif code is not None:
                    how = f"signal {-code}" if code < 0 else f"code {code}"
                    return f"the harness {worker} died with {how}"
        return None

    def end_all(self) -> None:
        """Ends all harnesses."""
        with self._lock:
            for harness in self._harnesses.values():
                _end(harness)
            self._harnesses.clear()


def serve(pool: WorkerPool, address: str) -> str:
    """Answers the engine at the address until a harness dies; returns the reason."""
    # Without SO_REUSEPORT: two pools at one address would share the engine's requests.
    server = grpc.server(futures.ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(pool, server)
    try:
        server.add_insecure_port(address)
    except RuntimeError as error:
        return f"cannot listen at {address}: {error}"
    server.start()
    _log(f"listens at {address}")
    try:
        while (reason := pool.find_dead()) is None:
            time.sleep(_LOOK_SECONDS)
        return reason
    finally:
        server.stop(grace=None)
        pool.end_all()


def main() -> int:
    """Runs the pool; returns the exit code."""
    parser = argparse.ArgumentParser(description="Beam's Python workers for an engine.")
    parser.add_argument("--port", type=int, default=50000)
    # Whoever reaches the pool can run code in it, so other machines must not.
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at")
    arguments = parser.parse_args()
    try:
        with interrupted_when_terminated():
            reason = serve(WorkerPool(), f"{arguments.host}:{arguments.port}")
    except KeyboardInterrupt:
        return INTERRUPTED
    _log(f"{reason}; the pool ends, so that its pod is replaced")
    return 1


def _end(harness: subprocess.Popen[bytes]) -> None:
    harness.terminate()
    wait_or_kill(harness, _GRACE_SECONDS)


def _log(text: str) -> None:
    print(f"Worker pool: {text}.", file=sys.stderr, flush=True)


if __name__ == "__main__":
    leave(main())
