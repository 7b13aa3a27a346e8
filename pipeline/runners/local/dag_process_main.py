"""The main module of the process that runs the DAG of a local run.

This process imports TensorFlow and TFX, whose output goes to the log of the run.

pipeline.runners.local.dag_process starts it with the job as a line of JSON on standard input. The
pipe stays open: when it closes, the parent has died, and this process ends too.
"""

from __future__ import annotations

import dataclasses
import errno
import logging
import shutil
import signal
import sys

from pipeline.config import Config
from pipeline.core.error_causes import disk_full_error, is_disk_full, is_given_up
from pipeline.core.errors import PipelineError, as_pipeline_error
from pipeline.core.events import DagFailure, Failure, RunEnded, emit
from pipeline.core.imports import quick_imports
from pipeline.core.processes import (
    INTERRUPTED,
    end_own_group,
    interrupted_when_terminated,
    leave,
    when_parent_is_gone,
)
from pipeline.core.text import print_to_log
from pipeline.runners.local.job import Job

DISK_FULL = errno.ENOSPC
"""The return code of the process if the disk is too full for the event RunEnded."""
_GRACE_SECONDS = 20
"""Seconds for an orderly end after the death of the parent, as the parent itself would give."""


def main(job: Job) -> int:
    """Runs the job, sends RunEnded, and returns its exit code."""
    # Beam's executors parse sys.argv with absl, so there must be no arguments.
    sys.argv = sys.argv[:1]
    try:
        with interrupted_when_terminated():
            when_parent_is_gone(lambda: end_own_group(_GRACE_SECONDS))
            end = _run(Config.model_validate_json(job.config), job)
    except KeyboardInterrupt:
        end = RunEnded(INTERRUPTED, error=Failure("interrupted"))
    except BaseException as error:
        # BaseException: Beam's parser raises SystemExit for a wrong flag.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        logging.exception("The run failed")
        end = _describe_failure(error, job)
    # The parent removes the directory too, unless it was killed.
    shutil.rmtree(job.temporary, ignore_errors=True)
    written = emit(end)
    return end.exit_code if written else DISK_FULL


def clean_up(job: Job) -> int:
    """Removes the temporary directory of a job whose parent has gone; returns the exit code."""
    shutil.rmtree(job.temporary, ignore_errors=True)
    return INTERRUPTED


def _run(config: Config, job: Job) -> RunEnded:
    # Imported here, so that the parent already shows a table while TensorFlow is imported.
    with quick_imports():
        from pipeline.runners.local import run_dag

    return run_dag.run_dag(config, job)


def _describe_failure(error: BaseException, job: Job) -> RunEnded:
    component = getattr(error, "component", None)
    cause = _find_cause(error, job)
    failure = DagFailure(cause.message, cause.hint, component=component)
    # A failure after the push leaves the model as it is.
    verdict = getattr(error, "verdict", None) or RunEnded(cause.exit_code)
    return dataclasses.replace(verdict, exit_code=cause.exit_code, error=failure)


def _find_cause(error: BaseException, job: Job) -> PipelineError:
    """Returns the failure for the user; a full disk is named whatever library met it."""
    if is_disk_full(error):
        return disk_full_error(job.artifacts, job.metadata, job.serving)
    if is_given_up(error):
        return PipelineError(
            f"{job.metadata}: a change was lost: no space left on the device, or the device failed",
            "free some space, and run the same command again",
        )
    return as_pipeline_error(error)


if __name__ == "__main__":
    print_to_log()
    leave(main(Job.from_line(sys.stdin.readline())))
