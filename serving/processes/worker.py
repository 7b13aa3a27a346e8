"""A worker process: loads versions as the supervisor says, and answers requests.

It listens as soon as its first version is loaded. It ends when the supervisor says so or has ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import socket
import sys
from typing import TYPE_CHECKING, Any

import uvicorn
import uvloop

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.imports import quick_imports, quiet_imports
from pipeline.core.processes import leave
from serving.bearer_tokens import BearerTokens
from serving.http.connections import limit_connections
from serving.http.event_loop import EventLoop
from serving.http.protocol import make_protocol
from serving.processes.messages import (
    Channel,
    Discard,
    Drain,
    Failed,
    Listening,
    Load,
    Loaded,
    Switch,
)
from serving.processes.worker_job import Job

if TYPE_CHECKING:
    from serving.rpc.server import RpcServer

with quiet_imports(), quick_imports():
    from serving.http.access_log import AccessLog
    from serving.http.app import App
    from serving.http.body import BodyReader
    from serving.http.metrics import change_waiting, count_call, show_version
    from serving.http.predict import Predictor
    from serving.http.tensorflow_api import TensorflowApi
    from serving.model.batcher import BatchLimits, Meter
    from serving.model.versions import Versions

_SWITCH_SECONDS = 0.0005
"""After a call of the model, its thread waits up to so long for the event loop to release the GIL.
Python's default of 5 ms is as long as several calls."""
_BACKLOG = 2048
"""Connections that may wait for a worker; Linux has its own limit, usually 4096."""
_KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than the 60 s of usual proxies, so that the proxy
closes it. If the server closes it, a request may be on its way and fail."""


class Worker:
    """The server of one process."""

    def __init__(self, job: Job, channel: Channel) -> None:
        settings = ServerConfig.model_validate_json(job.settings)
        limits = BatchLimits(
            settings.batch_rows,
            settings.batch_wait_milliseconds / 1e3,
            settings.queue_rows,
        )
        meter = Meter(count_call, change_waiting)
        self._channel = channel
        self._versions = Versions(job.name, limits, job.threads, settings.load_seconds, meter)
        self._log = AccessLog(settings.access_log)
        self._tokens = BearerTokens(settings.token_file) if settings.token_file else None
        self._bodies = BodyReader(int(settings.max_body_megabytes * 1e6))
        self._server = uvicorn.Server(self._configure(settings))
        self._rpc = self._make_rpc_server(job.rpc_address, settings) if job.rpc_address else None
        self._listener = socket.socket(fileno=job.listener)
        self._is_loaded = asyncio.Event()

    def _configure(self, settings: ServerConfig) -> uvicorn.Config:
        predictor = Predictor(
            self._versions, self._bodies, settings.max_rows, settings.request_seconds
        )
        api = TensorflowApi(self._versions, predictor)
        return uvicorn.Config(
            App(self._versions, api, self._log, self._tokens, open_metrics=settings.open_metrics),
            http=make_protocol(
                settings.request_seconds, limit_connections(settings.max_connections)
            ),
            ws="none",
            lifespan="off",
            backlog=_BACKLOG,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=math.ceil(settings.drain_seconds),
            ssl_certfile=settings.tls_certificate,
            ssl_keyfile=settings.tls_key,
        )

    def _make_rpc_server(self, address: str, settings: ServerConfig) -> RpcServer:
        # Here, since most servers offer no gRPC.
        from serving.rpc.server import RpcServer
        from serving.rpc.service import ModelService

        service = ModelService(self._versions, self._bodies, settings.max_rows)
        return RpcServer(address, service, settings, self._tokens, self._log)

    async def run(self) -> None:
        """Serves until the supervisor says `Drain` or ends."""
        orders: asyncio.Queue[Any] = asyncio.Queue()
        follow = asyncio.create_task(self._follow(orders))
        read = asyncio.create_task(self._read(orders))
        loaded = asyncio.create_task(self._is_loaded.wait())
        await asyncio.wait({read, loaded}, return_when=asyncio.FIRST_COMPLETED)
        if self._is_loaded.is_set():
            # Before the message: a client that hears of the server may connect at once.
            self._listener.listen(_BACKLOG)
            if self._rpc is not None:
                await self._rpc.start()
            self._channel.send(Listening())
            serve = asyncio.create_task(self._server.serve([self._listener]))
            await asyncio.wait({serve, read}, return_when=asyncio.FIRST_COMPLETED)
            if self._rpc is not None:
                await self._rpc.stop()
            await serve
        follow.cancel()
        self._log.flush()

    async def _read(self, orders: asyncio.Queue[Any]) -> None:
        async for message in self._channel.messages():
            if isinstance(message, Drain):
                break
            orders.put_nowait(message)
        self._server.should_exit = True

    async def _follow(self, orders: asyncio.Queue[Any]) -> None:
        """Does what the supervisor says, one order after the other."""
        while True:
            order = await orders.get()
            if isinstance(order, Load):
                await self._load(order)
            elif isinstance(order, Switch):
                self._versions.switch()
                self._is_loaded.set()
            elif isinstance(order, Discard):
                self._versions.discard(order.problem, order.version)
            if current := self._versions.current:
                show_version(current.version, self._versions.problem)

    async def _load(self, order: Load) -> None:
        error = await self._versions.load(
            order.version, order.directory, order.statistics, order.positive_class
        )
        self._channel.send(Failed(order.version, error) if error else Loaded(order.version))


async def _run(job: Job) -> None:
    channel = await Channel.open(socket.socket(fileno=job.channel))
    await Worker(job, channel).run()


def main() -> None:
    """Runs the worker whose job is the first argument."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    sys.setswitchinterval(_SWITCH_SECONDS)
    # uvicorn warns of each bad request, with advice that is none for a client; the access log and
    # the metrics tell of requests.
    for name in ("tensorflow", "absl", "uvicorn"):
        logging.getLogger(name).setLevel(logging.ERROR)
    uvloop.run(_run(Job(**json.loads(sys.argv[1]))), loop_factory=EventLoop)
    # TensorFlow's threads may abort in their destructors.
    leave(0)


if __name__ == "__main__":
    main()
