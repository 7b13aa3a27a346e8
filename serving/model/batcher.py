"""Answers requests that arrive together with one call of the model (adaptive batching).

A thread calls the model; the event loop decides which requests share a call. While a call runs,
requests wait. When the model is free, the event loop first reads the requests that have arrived:
a call begins as soon as one round of the loop has brought no new request, or after a bounded time.
So an idle server answers a request at once, and a busy one needs few calls.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from queue import SimpleQueue

import numpy as np

from serving.errors import RequestError, bad_request
from serving.rows.values import Array

Outputs = Mapping[str, Array]
Call = Callable[[str, Sequence[Array]], Outputs]
"""Calls a signature with blocks, [rows, inputs] each; raises ValueError if the values are wrong."""


@dataclass(frozen=True)
class BatchLimits:
    """How requests are batched, and how many may wait."""

    batch_rows: int
    """The most rows of one call, unless one request has more."""
    wait_seconds: float
    """How long a call is put off at most while requests keep arriving."""
    queue_rows: int
    """The most rows that wait for a call or are in one."""


def _ignore(rows: int) -> None:
    pass


@dataclass(frozen=True)
class Meter:
    """What a batcher reports."""

    count_call: Callable[[int], None] = _ignore
    """Gets the rows of each call of the model, in the model's thread."""
    change_waiting: Callable[[int], None] = _ignore
    """Gets by how many rows the number of waiting rows has changed. Those of a call count, too."""


@dataclass(eq=False)
class _Job:
    signature: str
    blocks: Sequence[Array]
    rows: int
    future: asyncio.Future[Outputs]
    """Done before its call if the caller waits no longer."""


class Batcher:
    """The requests that wait for a model, and the thread that calls it.

    All methods but those of the thread belong to the event loop.
    """

    def __init__(
        self,
        call: Call,
        limits: BatchLimits,
        meter: Meter | None = None,
    ) -> None:
        """Starts the thread; `meter` gets the numbers for the metrics."""
        self._call = call
        self._limits = limits
        self._meter = meter or Meter()
        self._loop = asyncio.get_running_loop()
        self._pending: deque[_Job] = deque()
        self._is_busy = False
        """Whether a call runs, or its beginning is being decided."""
        self.waiting_rows = 0
        self._batches: SimpleQueue[Sequence[_Job]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    async def predict(self, signature: str, blocks: Sequence[Array]) -> Outputs:
        """Returns the outputs by name, in the order of the rows.

        Args:
          blocks: an array [rows, inputs] for each group of the signature's inputs.

        Raises:
          RequestError: the queue is full, or the model refuses the values.
        """
        rows = len(blocks[0])
        if self.waiting_rows and self.waiting_rows + rows > self._limits.queue_rows:
            raise RequestError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"the server is full: {self.waiting_rows} rows wait; repeat the request later",
            )
        future: asyncio.Future[Outputs] = self._loop.create_future()
        self._change_waiting(rows)
        self._pending.append(_Job(signature, blocks, rows, future))
        if not self._is_busy:
            self._begin()
        return await future

    async def close(self) -> None:
        """Ends the thread, after the last answer. Nothing may be asked any more."""
        self._batches.put(())
        await asyncio.to_thread(self._thread.join)

    def _change_waiting(self, rows: int) -> None:
        self.waiting_rows += rows
        self._meter.change_waiting(rows)

    def _begin(self) -> None:
        self._is_busy = True
        until = self._loop.time() + self._limits.wait_seconds
        self._loop.call_soon(self._launch_when_quiet, len(self._pending), until)

    def _launch_when_quiet(self, seen: int, until: float) -> None:
        """Launches a call, unless the last round of the loop brought requests."""
        count = len(self._pending)
        is_full = self.waiting_rows >= self._limits.batch_rows
        if count == seen or is_full or self._loop.time() >= until:
            self._batches.put(self._take_batch())
        else:
            self._loop.call_soon(self._launch_when_quiet, count, until)

    def _take_batch(self) -> Sequence[_Job]:
        """Returns the oldest request with those after it that may share its call."""
        batch, rows = [self._pending.popleft()], 0
        while self._pending:
            job = self._pending[0]
            rows += batch[-1].rows
            if job.signature != batch[0].signature or rows + job.rows > self._limits.batch_rows:
                break
            batch.append(self._pending.popleft())
        return batch

    def _work(self) -> None:
        """Calls the model until an empty batch arrives."""
        while batch := self._batches.get():
            answers = self._answer(batch)
            self._loop.call_soon_threadsafe(self._deliver, batch, answers)

    def _answer(self, batch: Sequence[_Job]) -> list[Outputs | Exception]:
        live = [job for job in batch if not job.future.done()]
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
        blocks = jobs[0].blocks
        if len(jobs) > 1:
            blocks = [np.concatenate(b) for b in zip(*(job.blocks for job in jobs), strict=True)]
        outputs = self._call(jobs[0].signature, blocks)
        self._meter.count_call(sum(rows))
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
        self._change_waiting(-sum(job.rows for job in batch))
        for job, answer in zip(batch, answers, strict=True):
            if job.future.done():
                continue
            if isinstance(answer, Exception):
                job.future.set_exception(answer)
            else:
                job.future.set_result(answer)
        self._is_busy = False
        if self._pending:
            self._begin()
