"""The command of every task: python -m pipeline.runners.kubeflow.entrypoint NODE EXECUTOR_INPUT ...

The entrypoint stands between Kubeflow's launcher and a TFX component. It reads the ExecutorInput of
the launcher, runs the component, and leaves the files and the exit code that the launcher expects.
Modules are imported late, and only those that the task needs: every task pays for its imports.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import PipelineError, as_pipeline_error
from pipeline.core.imports import quick_imports
from pipeline.core.processes import INTERRUPTED, interrupted_when_terminated, leave
from pipeline.core.text import print_to_log, printable
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, REPORT, task_name
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters

if TYPE_CHECKING:
    from pipeline.runners.kubeflow.in_cluster.recording import Result

_PREPARE = task_name(PREPARE)
_REPORT = task_name(REPORT)


def main(arguments: Sequence[str]) -> int:
    """Runs one task and returns its exit code."""
    print_to_log()
    # Beam's executors parse sys.argv with absl.
    sys.argv = sys.argv[:1]
    # Other packages warn about versions they would prefer. A user cannot change the versions.
    warnings.simplefilter("ignore", FutureWarning)
    # TensorFlow reads both variables at import.
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    try:
        with interrupted_when_terminated():
            _run(*arguments)
    except KeyboardInterrupt:
        print("Error: interrupted")
        return INTERRUPTED
    except (Exception, SystemExit) as error:
        return _report_failure(error)
    return 0


def _run(node_id: str, executor_input: str, *flags: str) -> None:
    parsed = json.loads(executor_input)
    if node_id == _REPORT:
        from pipeline.runners.kubeflow.in_cluster.report import run_report

        run_report(parsed)
        return
    # Imported before everything that may fail, so that no failure lacks a record.
    from pipeline.runners.kubeflow.in_cluster.recording import run_recorded

    if node_id == _PREPARE:
        run_recorded(PREPARE, parsed, lambda: _run_prepare(parsed))
    else:
        run_recorded(node_id, parsed, lambda: _run_component(node_id, parsed, flags))


def _run_prepare(executor_input: dict[str, Any]) -> Result:
    with quick_imports():
        from pipeline.runners.kubeflow.in_cluster.prepare import run_prepare

    return run_prepare(executor_input)


def _run_component(node: str, executor_input: dict[str, Any], flags: Sequence[str]) -> Result:
    with quick_imports():
        from pipeline.runners.kubeflow.in_cluster.task import run_task

    return run_task(node, executor_input, flags)


def _report_failure(error: BaseException) -> int:
    """Prints what is wrong and what to do as the log's last lines; returns the exit code.

    A traceback precedes these lines only if no code foresaw the failure.
    """
    failure = as_pipeline_error(error)
    if type(failure) is PipelineError:
        logging.error("The task failed", exc_info=error)
    for part in failure.parts:
        print(f"Error: {printable(part.message)}")
        if part.hint:
            print(f"  {printable(advise_run_parameters(part.hint))}")
    return failure.exit_code


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
