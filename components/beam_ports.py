"""Keeps other machines away from the ports of Beam's local runner.

In the modes multi_processing and multi_threading, the runner opens four ports for its workers. They
are on all addresses of the machine, and ask for no password: whoever reaches them takes part in
the work, and reads rows. The workers are on this machine, so loopback is enough. A network
namespace, as the training's workers have, is impossible: the runner lives in the process of the
whole run, which may need object stores and other servers.
"""

from __future__ import annotations

import logging
from typing import Any

from apache_beam.runners.portability.fn_api_runner import worker_handlers

_ALL_ADDRESSES = "[::]"


def keep_ports_on_loopback() -> None:
    """Makes Beam's local runner listen on loopback alone, in this process from now on."""
    if not isinstance(worker_handlers.grpc, _LoopbackGrpc):
        worker_handlers.grpc = _LoopbackGrpc(worker_handlers.grpc)
        worker_handlers.GrpcServer = _LoudGrpcServer


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
            "Beam's workers use the ports %s on loopback, without a password: other users of this "
            "machine reach them while the component works",
            ", ".join(map(str, ports)),
        )
