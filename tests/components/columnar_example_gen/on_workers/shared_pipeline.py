"""Runs the jobs of many tables as one pipeline: each start of Beam's runner costs a second."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import apache_beam as beam

from components.columnar_example_gen.on_workers.jobs import ExamineParts

Result = TypeVar("Result")


class SharedPipelines:
    """Calls functions in threads; when each has a job or has ended, all jobs run together."""

    def __init__(self, make_pipeline: Callable[[], beam.Pipeline]) -> None:
        self._make_pipeline = make_pipeline
        self._changed = threading.Condition()
        self._running = 0
        self._jobs: list[ExamineParts] = []
        self._round = 0
        self._failure: BaseException | None = None

    def call_all(self, functions: Mapping[str, Callable[[], Result]]) -> dict[str, Result]:
        """Returns the results by name."""
        self._running = len(functions)
        with ThreadPoolExecutor(len(functions)) as pool:
            futures = {n: pool.submit(self._call, function) for n, function in functions.items()}
        return {name: future.result() for name, future in futures.items()}

    def make_pipeline(self) -> Any:
        """Returns what takes the place of a pipeline of one job."""
        return _Turn(self)

    def run(self, job: ExamineParts) -> None:
        """Returns when the job has run."""
        with self._changed:
            self._jobs.append(job)
            own_round = self._round
            self._start_if_all_wait()
            self._changed.wait_for(lambda: self._round > own_round)
            if self._failure:
                raise self._failure

    def _call(self, function: Callable[[], Result]) -> Result:
        try:
            return function()
        finally:
            with self._changed:
                self._running -= 1
                self._start_if_all_wait()

    def _start_if_all_wait(self) -> None:
        if not self._jobs or len(self._jobs) < self._running:
            return
        jobs, self._jobs = self._jobs, []
        try:
            with self._make_pipeline() as pipeline:
                for number, job in enumerate(jobs):
                    _ = pipeline | f"Job {number}" >> job
        except BaseException as error:
            self._failure = error
        self._round += 1
        self._changed.notify_all()


class _Turn:
    """A pipeline of one job."""

    def __init__(self, shared: SharedPipelines) -> None:
        self._shared = shared
        self._job: ExamineParts | None = None

    def __enter__(self) -> _Turn:
        return self

    def __or__(self, job: ExamineParts) -> _Turn:
        self._job = job
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None and self._job is not None:
            self._shared.run(self._job)
