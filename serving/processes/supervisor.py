"""The supervisor: starts the workers, restarts ended ones, and switches versions.

It binds the port and never imports TensorFlow. The workers share its socket: connections that wait
for a worker survive the end of another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from typing import Any

from prometheus_client import multiprocess

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.errors import ConfigError, as_pipeline_error
from pipeline.core.processes import INTERRUPTED, available_cores, silence
from pipeline.core.text import printable
from serving.processes.messages import Channel, Drain, Failed, Listening, Loaded
from serving.processes.rollout import Rollout
from serving.processes.sources import Source
from serving.processes.worker_job import Job
from serving.waiting import call_in_daemon

_WORKER = (sys.executable, "-m", "serving.processes.worker")
_METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_FIRST_PAUSE_SECONDS = 0.5
"""The pause before an ended worker is started again; it doubles while workers end soon."""
_LONGEST_PAUSE_SECONDS = 30.0
_GRACE_SECONDS = 5.0
"""What a worker may take to end after `serving.server.drain_seconds`."""


class Supervisor:
    """Serves a model until a signal ends it."""

    def __init__(
        self,
        name: str,
        source: Source,
        settings: ServerConfig,
        listener: socket.socket,
        rpc_address: str,
        announce: Callable[[str], None],
    ) -> None:
        """Prepares the server.

        Args:
          listener: a bound socket that does not listen yet.
          rpc_address: `host:port` for gRPC, which the caller has reserved; empty for no gRPC.
          announce: gets the served version when the server answers, and at each switch.
        """
        self._name = name
        self._source = source
        self._settings = settings
        self._listener = listener
        self._rpc_address = rpc_address
        self._announce = announce
        self._channels: dict[int, Channel] = {}
        self._rollout = Rollout(self._send)
        self._announced = ""
        self._printed_problem = ""
        self._listening: set[int] = set()
        self._stop = asyncio.Event()
        self._exit_code = 0
        self._reload = False

    async def run(self) -> int:
        """Serves, and returns the exit code.

        Raises:
          ConfigError: there is no version to serve, or it cannot be loaded.
        """
        self._rollout.propose(self._source.read())
        self._handle_signals()
        with tempfile.TemporaryDirectory(prefix="model-server-") as metrics:
            os.environ[_METRICS_VARIABLE] = metrics
            keepers = [self._begin(self._keep(number)) for number in range(self._settings.workers)]
            poller = self._begin(self._poll())
            await self._stop.wait()
            poller.cancel()
            for number in self._channels:
                self._send(number, Drain())
            # A client that connects now is refused at once, and can ask another server.
            self._listener.close()
            await asyncio.gather(*keepers, return_exceptions=True)
        if self._rollout.current is None and self._rollout.problem:
            raise ConfigError(self._rollout.problem, "the log above may say more")
        return self._exit_code

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task whose failure ends the server: without it, the server would go on deaf."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._end_if_failed)
        return task

    def _end_if_failed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logging.error("The server ends: a task of the supervisor failed", exc_info=error)
            self._end(1)

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._end, 0)
        loop.add_signal_handler(signal.SIGINT, self._end, INTERRUPTED)
        loop.add_signal_handler(signal.SIGHUP, self._ask_again)

    def _end(self, code: int) -> None:
        self._exit_code = code
        self._stop.set()

    def _ask_again(self) -> None:
        self._reload = True

    def _send(self, number: int, message: object) -> None:
        if number in self._channels:
            self._channels[number].send(message)

    async def _keep(self, number: int) -> None:
        """Runs one worker after the other until the server stops."""
        pause = _FIRST_PAUSE_SECONDS
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                end = f"ended ({await self._run_worker(number)})"
            except OSError as error:
                # The machine may be short of processes or descriptors for a while.
                end = f"cannot start: {error.strerror}"
            if self._stop.is_set():
                return
            pause = _FIRST_PAUSE_SECONDS if time.monotonic() - started > 60 else pause
            logging.warning("Worker %d %s; another one follows", number, end)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stop.wait(), pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _run_worker(self, number: int) -> int:
        """Starts a worker and waits for its end; returns its exit code."""
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as unused:
            unused.callback(ours.close)
            process = await self._start(theirs)
            unused.pop_all()
        channel = await Channel.open(ours)
        self._channels[number] = channel
        if self._stop.is_set():
            # The server was told to stop while the process began.
            channel.send(Drain())
        else:
            self._rollout.join(number)
        reader = self._begin(self._listen_to(number, channel))
        try:
            return await self._wait(process)
        finally:
            await asyncio.wait({reader})
            channel.close()
            del self._channels[number]
            self._listening.discard(number)
            _forget_gauges(process.pid)
            if not self._stop.is_set():
                # A worker that was told to end says nothing against the version that it loads.
                self._rollout.leave(number)
                self._check()

    async def _start(self, channel: socket.socket) -> asyncio.subprocess.Process:
        job = Job(
            self._name,
            max(1, available_cores() // self._settings.workers),
            self._listener.fileno(),
            channel.fileno(),
            self._rpc_address,
            self._settings.to_json(),
        )
        return await asyncio.create_subprocess_exec(
            *_WORKER,
            job.to_json(),
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=(job.listener, job.channel),
            # Ctrl-C is for the supervisor alone, which lets the workers finish.
            start_new_session=True,
        )

    async def _wait(self, process: asyncio.subprocess.Process) -> int:
        """Waits for the end of the process, and ends it if the server stops."""
        ended = asyncio.create_task(process.wait())
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        try:
            grace = self._settings.drain_seconds + _GRACE_SECONDS
            return await asyncio.wait_for(asyncio.shield(ended), None if ended.done() else grace)
        except asyncio.TimeoutError:
            process.kill()
            return await ended

    async def _listen_to(self, number: int, channel: Channel) -> None:
        async for message in channel.messages():
            if isinstance(message, Loaded):
                self._rollout.loaded(number, message.version)
            elif isinstance(message, Failed):
                self._rollout.failed(number, message.version, message.error)
            elif isinstance(message, Listening):
                self._listening.add(number)
            self._check()

    def _check(self) -> None:
        """Tells what has changed, and stops the server if its first version cannot be loaded."""
        if self._rollout.problem not in ("", self._printed_problem) and self._rollout.current:
            version, problem = self._rollout.current.version, printable(self._rollout.problem)
            logging.warning("Version %s goes on being served: %s", version, problem)
        self._printed_problem = self._rollout.problem
        if self._rollout.current is None:
            if self._rollout.candidate is None:
                self._stop.set()
        elif self._listening and self._announced != self._rollout.current.version:
            self._announced = self._rollout.current.version
            try:
                self._announce(self._announced)
            except OSError:
                # Nobody reads standard output any more: `serve | head`, or a closed terminal.
                silence(sys.stdout)

    async def _poll(self) -> None:
        """Looks for another version until the task is cancelled."""
        while True:
            await asyncio.sleep(self._settings.poll_seconds)
            if self._rollout.candidate is None:
                await self._look()
                self._check()

    async def _look(self) -> None:
        try:
            # In a thread: a network file system may hang.
            if not (await call_in_daemon(self._source.has_changed) or self._reload):
                return
            self._reload = False
            version = await call_in_daemon(self._source.read)
        except Exception as error:
            # Whatever the pointer holds: a right one may follow.
            self._rollout.report(str(as_pipeline_error(error)))
        else:
            self._rollout.propose(version)


def _forget_gauges(process: int) -> None:
    """Removes what an ended worker measured last; its counts stay."""
    directory = os.environ[_METRICS_VARIABLE]
    multiprocess.mark_process_dead(process, directory)  # type: ignore[no-untyped-call]
