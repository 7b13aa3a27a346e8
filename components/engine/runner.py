"""Beam's PortableRunner, with what a job of a run needs besides.

- A job has a name of its own, by which it is found on Flink's page.
- The run shows the job, its page, and how many of its tasks have ended while the job runs.
- Ctrl-C and SIGTERM cancel the job. Beam alone leaves the job to the engine, which goes on writing
  into directories that the run has removed.
- A failed job says its cause in one sentence.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
from collections.abc import Callable
from typing import Any

from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.runners.runner import PipelineResult, PipelineState

from components.engine.failure import explain_failure
from components.engine.flink_page import FlinkPage
from pipeline.core.errors import PipelineError
from pipeline.core.events import JobProgressed, JobStarted, emit
from pipeline.core.stores.waiting import start_request
from pipeline.core.threads import work_beside

_LOOKUP_SECONDS = 1.0
_PROGRESS_SECONDS = 2.0
_CANCEL_SECONDS = 8.0
"""For Flink to stop a job. The run's own end has 20 seconds before it is killed."""
_JOB_SERVER_SECONDS = 4.0
"""For an answer of the job server, which Beam would await for ever."""


class EngineOptions(PipelineOptions):
    """The flags that `pipeline/config/engine/section.py` adds for this runner."""

    @classmethod
    def _add_argparse_args(cls, parser: Any) -> None:
        parser.add_argument("--engine_kind", default="engine", help="The kind of the engine.")
        parser.add_argument("--engine_page", help="The address of the engine's page.")


class EngineRunner(PortableRunner):
    """Runs a pipeline as one job of an engine."""

    def run_portable_pipeline(self, pipeline: Any, options: PipelineOptions) -> PipelineResult:
        """Returns the result of the job, which the engine has accepted."""
        cloud = options.view_as(GoogleCloudOptions)
        # A component may run several jobs, and several runs may share an engine.
        cloud.job_name = f"{cloud.job_name or 'job'}-{secrets.token_hex(4)}"
        job = _Job(cloud.job_name, options.view_as(EngineOptions))
        try:
            result = super().run_portable_pipeline(pipeline, options)
        except BaseException:
            # The engine may have the job although its answer never arrived.
            job.cancel()
            raise
        return EngineResult(job, result)


class EngineResult(PipelineResult):
    """The result of a job; who waits for the job and is interrupted cancels it."""

    def __init__(self, job: _Job, result: Any) -> None:
        super().__init__(PipelineState.RUNNING)
        self._job = job
        self._result = result

    @property
    def state(self) -> str:
        """The state of the job."""
        return str(self._result.state)

    def wait_until_finish(self, duration: int | None = None) -> str:
        """Returns the last state of the job, at the latest after `duration` milliseconds.

        Raises:
          PipelineError: the job failed.
        """
        with self._job.announced():
            try:
                return str(self._result.wait_until_finish(duration))
            except Exception as error:
                if self._has_ended():
                    raise self._job.explain(str(error)) from error
                self.cancel()
                raise self._job.lost() from error
            except BaseException:
                self.cancel()
                raise

    def cancel(self) -> None:
        """Cancels the job on the engine and at the job server."""
        # Flink first: a job server that hangs would take the time that is left before a kill.
        self._job.cancel()
        try:
            _ask_job_server(self._result.cancel)
        except Exception:
            logging.warning("The job server does not cancel job %s", self._job.name)

    def metrics(self) -> Any:
        """Returns the metrics of the ended job."""
        return self._result.metrics()

    def _has_ended(self) -> bool:
        """Whether the job server says that the job ended; False if it does not answer."""
        try:
            return bool(PipelineState.is_terminal(_ask_job_server(lambda: self._result.state)))
        except Exception:
            logging.exception("The job server does not answer")
            return False


def _ask_job_server(question: Callable[[], Any]) -> Any:
    return start_request(question).result(_JOB_SERVER_SECONDS)


class _Job:
    """A job, by its name on the engine."""

    def __init__(self, name: str, options: EngineOptions) -> None:
        self.name = name
        self._kind = options.engine_kind
        self._page = options.engine_page or ""
        self._flink = FlinkPage(self._page) if self._kind == "flink" and self._page else None

    def announced(self) -> contextlib.AbstractContextManager[None]:
        """Shows the job while the `with` statement lasts, as soon as the engine knows the job."""
        return work_beside(self._announce, "job")

    def _announce(self, ended: threading.Event) -> None:
        job = self._find_job()
        while self._flink and job is None and not ended.wait(_LOOKUP_SECONDS):
            job = self._find_job()
        page = self._flink.describe(job) if self._flink and job else self._page
        event = JobStarted(self._kind, self.name, page)
        logging.info("Job %s runs on %s: %s", event.name, event.engine, event.page or "no page")
        emit(event)
        if job:
            self._show_progress(job, ended)

    def _show_progress(self, job: str, ended: threading.Event) -> None:
        """Sends how many tasks have ended, until the job ends or the page does not answer."""
        shown = None
        while not ended.wait(_PROGRESS_SECONDS):
            tasks = self._ask_flink(lambda flink: flink.count_tasks(job))
            if tasks is None:
                return
            if tasks != shown:
                emit(JobProgressed(self.name, *tasks))
            shown = tasks

    def _find_job(self) -> str | None:
        job: str | None = self._ask_flink(lambda flink: flink.find_job(self.name))
        return job

    def cancel(self) -> None:
        """Cancels the job where Flink's page is known."""
        ended = self._ask_flink(lambda flink: flink.cancel(self.name, _CANCEL_SECONDS))
        if ended is False:
            logging.warning("Job %s has not ended yet; Flink is cancelling it", self.name)

    def explain(self, text: str) -> Exception:
        """Returns the error of the failed job; Flink's page knows more than the job server."""
        job = self._find_job()
        hint = ""
        if self._flink and job:
            text = self._ask_flink(lambda flink: flink.read_failure(job)) or text
            hint = f"the job's page has more: {self._flink.describe(job)}"
        return explain_failure(self.name, text, hint)

    def lost(self) -> PipelineError:
        """Returns the error of a job whose job server went away."""
        return PipelineError(
            f"job {self.name}: the job server no longer answers",
            "the same command continues the run. Without engine.page, the job may still be at "
            "work: cancel it on the engine first",
        )

    def _ask_flink(self, question: Callable[[FlinkPage], Any]) -> Any:
        """Returns the answer of Flink's page; None without a page or an answer."""
        if self._flink is None:
            return None
        try:
            return question(self._flink)
        except OSError as error:
            logging.warning("%s: Flink does not answer: %s", self._page, error)
            return None
