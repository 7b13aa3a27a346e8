"""Starts the process of an export, waits for its end, and says what became of it."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from components.model_exporter import export_process
from components.model_exporter.batches import Array
from components.model_exporter.export_process import OUTCOME, SCORES, ExportJob, Outcome
from components.supervision.platform_interface import WorkerStatus
from components.supervision.processes import WorkerProcess

_COMMAND = (sys.executable, "-m", export_process.__name__)
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Conversion:
    """What became of a conversion."""

    scores: Array | None
    """The file's predictions of the evaluated rows; None if there are none."""
    outcome: Outcome = field(default_factory=Outcome)
    failure: str = ""
    """Why there are no predictions, as a sentence."""


def convert(name: str, job: ExportJob) -> Conversion:
    """Runs the job in a process of its own; never raises because of the conversion.

    Args:
      name: the export's name.
      job: the arguments; its `directory` is set here.
    """
    with tempfile.TemporaryDirectory(prefix="export-") as directory:
        line = replace(job, directory=directory).to_line()
        process = WorkerProcess(name, Path(directory), {"TF_CONFIG": "{}"}, line, _COMMAND)
        try:
            while (status := process.read_status()).exit_code is None:
                time.sleep(_POLL_SECONDS)
        finally:
            process.terminate()
            process.end()
        if status.exit_code == 0:
            outcome = json.loads(Path(directory, OUTCOME).read_text(encoding="utf-8"))
            return Conversion(np.load(Path(directory, SCORES)), Outcome(**outcome))
        return Conversion(None, failure=_explain(status, Path(job.file).exists()))


def _explain(status: WorkerStatus, is_written: bool) -> str:
    step = "the file cannot be run" if is_written else "the network cannot be converted"
    if status.report is not None:
        return f"{step}: {status.report.message}"
    return f"{step}: the process {status.end_description}"
