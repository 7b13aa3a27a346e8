"""The exit task: writes the page of the run as an artifact that Kubeflow shows, and on the volume.

The exit task has the image of all other tasks, but imports neither TensorFlow nor TFX.
"""

from __future__ import annotations

import logging
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.environment import RECORDS_VARIABLE, RUN_VARIABLE
from pipeline.core.errors import PipelineError
from pipeline.core.files import write_text_atomically
from pipeline.report.content import Report
from pipeline.report.files import report_to_json
from pipeline.report.page import render_page
from pipeline.runners.kubeflow.compiling.added_tasks.exit_task import PAGE
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.outputs import write_executor_output, write_output
from pipeline.runners.kubeflow.in_cluster.uris import to_path
from pipeline.runners.kubeflow.page.gather import gather_report, read_run
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory, sweep_runs

_KEPT_RUNS = 20
"""The runs whose records stay on the volume unless `retention` says otherwise: three weeks of
nightly runs, with a few MB each."""


def run_report(executor_input: Json) -> None:
    """Writes the page of the run that has ended, and removes the records of old runs.

    Raises:
      PipelineError: the task has no run: the variables that name it are not set.
    """
    directory = RunDirectory.of_this_run()
    if directory is None:
        raise PipelineError(f"the variables {RECORDS_VARIABLE} and {RUN_VARIABLE} are not set")
    parameters = executor_input["inputs"]["parameterValues"]
    run = read_run(directory, parameters)
    report = gather_report(run, parameters)
    html = render_page(report)
    [place] = executor_input["outputs"]["artifacts"][PAGE]["artifacts"]
    write_output(Path(to_path(place["uri"])), html)
    write_executor_output(executor_input["outputs"]["outputFile"], {PAGE: place})
    print(f"{report.verdict.status}: {report.verdict.headline}")
    try:
        _write_to_volume(directory, report, html)
        sweep_runs(directory, run.config.retention.keep_runs or _KEPT_RUNS)
    except OSError as error:
        logging.warning("The page is an artifact only, and not on the volume: %s", error)


def _write_to_volume(directory: RunDirectory, report: Report, html: str) -> None:
    content = report_to_json(report)
    write_text_atomically(directory.path / RunFile.REPORT_CONTENT, content, durable=False)
    # Last: the page marks a run that has ended.
    write_text_atomically(directory.path / RunFile.REPORT, html, durable=False)
