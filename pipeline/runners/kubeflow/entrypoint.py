"""What every task's container starts: python -m pipeline.runners.kubeflow.entrypoint NODE INPUT ...

Between Kubeflow's launcher and a TFX component: it takes the ExecutorInput as it comes, and leaves
the files and the exit code that the launcher understands. Imports late, and only what the task at
hand needs: every task pays for it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Sequence

from pipeline.core.errors import PipelineError, as_pipeline_error
from pipeline.core.imports import quick_imports
from pipeline.core.processes import INTERRUPTED, interrupted_when_terminated, leave
from pipeline.core.text import print_to_log, printable
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters

_PREPARE = task_name(PREPARE)


def main(arguments: Sequence[str]) -> int:
    """Runs one task; returns the exit code."""
    print_to_log()
    # Beam's executors parse sys.argv with absl.
    sys.argv = sys.argv[:1]
    # Of other packages, about versions they would like better: nothing a user could change.
    warnings.simplefilter("ignore", FutureWarning)
    # Both are read when TensorFlow is imported.
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
    given = json.loads(executor_input)
    if node_id == _PREPARE:
        with quick_imports():
            from pipeline.runners.kubeflow.in_cluster.prepare import run_prepare

        run_prepare(given)
    else:
        with quick_imports():
            from pipeline.runners.kubeflow.in_cluster.task import run_task

        run_task(node_id, given, flags)


def _report_failure(error: BaseException) -> int:
    """The last lines of the log: what is wrong, and what to do; the way there only for defects."""
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
