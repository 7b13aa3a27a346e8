"""Answers requests that arrive together with one call of the model (adaptive batching).

A thread calls the model. While a call runs, requests queue; the next call takes all of them, up to
a limit of rows. So an idle server answers a request at once, and a busy one needs few calls.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from queue import Empty, SimpleQueue

import numpy as np

from serving.errors import RequestError, bad_request
from serving.rows.values import Array

Outputs = Mapping[str, Array]
Call = Callable[[str, Sequence[Array]], Outputs]
"""Calls a signature with columns, [rows] each; raises ValueError if the values are wrong."""


@dataclass(frozen=True)
class BatchLimits:
    """How requests are batched, and how many may wait."""

    batch_rows: int
    """The most rows of one call, unless one request has more."""
    wait_seconds: float
    """How long the first request of a call waits for others."""
    queue_rows: int
    """The most rows that wait for a call or are in one."""
    request_seconds: float
    """The most seconds that a request waits for its outputs."""


@dataclass(eq=False)
class _Job:
    signature: str
    columns: Sequence[Array]
    rows: int
    future: asyncio.Future[Outputs]
    deadline: float
    """The time of the event loop after which nobody waits for the outputs."""


class Batcher:
    """A queue in front of a model, with the thread that empties it.

    `submit` and `close` belong to the event loop's thread.
    """

    def __init__(
        self,
        call: Call,
        limits: BatchLimits,
        observe: Callable[[int, int], None] = lambda rows, waiting: None,
    ) -> None:
        """Starts the thread; `observe` gets the rows of each call, and the rows that wait then."""
        self._call = call
        self._limits = limits
        self._observe = observe
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._left: _Job | None = None
        """The job that did not fit into the last batch."""
        self.waiting_rows = 0
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    async def predict(self, signature: str, columns: Sequence[Array]) -> Outputs:
        """Returns the outputs by name, in the order of the rows.

        Args:
          columns: an array [rows] for each input of the signature.

        Raises:
          RequestError: the queue is full, the time is over, or the model refuses the values.
        """
        rows = len(columns[0])
        if self.waiting_rows and self.waiting_rows + rows > self._limits.queue_rows:
            raise RequestError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"the server is full: {self.waiting_rows} rows wait; repeat the request later",
            )
        seconds = self._limits.request_seconds
        future: asyncio.Future[Outputs] = self._loop.create_future()
        timer = self._loop.call_later(seconds, _expire, future, seconds)
        self.waiting_rows += rows
        self._queue.put(_Job(signature, columns, rows, future, self._loop.time() + seconds))
        try:
            return await future
        finally:
            timer.cancel()

    async def close(self) -> None:
        """Answers what waits, then ends the thread. Nothing may be submitted any more."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        while batch := self._take_batch():
            answers = self._answer(batch)
            self._loop.call_soon_threadsafe(self._deliver, batch, answers)

    def _take_batch(self) -> list[_Job]:
        """Waits for a job and returns it with those that may share its call; empty at the end."""
        first, self._left = self._left or self._queue.get(), None
        if first is None:
            return []
        batch, rows = [first], first.rows
        until = time.monotonic() + self._limits.wait_seconds
        while rows < self._limits.batch_rows:
            job = self._next_job(until)
            if job is None:
                break
            if job.signature != first.signature or rows + job.rows > self._limits.batch_rows:
                self._left = job
                break
            batch.append(job)
            rows += job.rows
        return batch

    def _next_job(self, until: float) -> _Job | None:
        try:
            remaining = until - time.monotonic()
            job = self._queue.get(remaining > 0, max(remaining, 0))
        except Empty:
            return None
        if job is None:  # The end, which the next batch has to see, too.
            self._queue.put(None)
        return job

    def _answer(self, batch: Sequence[_Job]) -> list[Outputs | Exception]:
        now = self._loop.time()
        live = [job for job in batch if job.deadline > now]
        answers: dict[_Job, Outputs | Exception] = {}
        try:
            if len(live) > 1:
                answers.update(zip(live, self._call_together(live), strict=True))
        except Exception:
            # One request's values may be wrong: the others still get their outputs.
            answers.clear()
        return [
            answers.get(job) or (self._call_alone(job) if job in live else TimeoutError())
            for job in batch
        ]

    def _call_together(self, jobs: Sequence[_Job]) -> Sequence[Outputs]:
        rows = [job.rows for job in jobs]
        columns = jobs[0].columns
        if len(jobs) > 1:
            columns = [np.concatenate(parts) for parts in zip(*(job.columns for job in jobs))]
        outputs = self._call(jobs[0].signature, columns)
        self._observe(sum(rows), self.waiting_rows)
        if any(len(array) != sum(rows) for array in outputs.values()):
            raise ValueError("the model did not return a prediction for each row")
        ends = np.cumsum(rows).tolist()
        return [
            {name: array[end - n : end] for name, array in outputs.items()}
            for n, end in zip(rows, ends, strict=True)
        ]

    def _call_alone(self, job: _Job) -> Outputs | Exception:
        try:
            return self._call_together([job])[0]
        except ValueError as error:
            return bad_request(f"the model refuses the values: {error}")
        except Exception as error:
            return error

    def _deliver(self, batch: Sequence[_Job], answers: Sequence[Outputs | Exception]) -> None:
        for job, answer in zip(batch, answers, strict=True):
            self.waiting_rows -= job.rows
            if job.future.done():
                continue
            if isinstance(answer, Exception):
                job.future.set_exception(answer)
            else:
                job.future.set_result(answer)


def _expire(future: asyncio.Future[Outputs], seconds: float) -> None:
    if not future.done():
        future.set_exception(timeout_error(seconds))


def timeout_error(seconds: float) -> RequestError:
    """Returns the error of a request that took too long."""
    return RequestError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"no predictions after {seconds:g} s (serving.server.request_seconds)",
    )
