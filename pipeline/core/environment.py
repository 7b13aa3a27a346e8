"""Environment variables: of processes that find each other's files, and of the user's caches."""

from __future__ import annotations

import os
from pathlib import Path

EVENTS_VARIABLE = "PIPELINE_EVENTS"
"""Path of the JSON-lines file to which a run appends its events."""
EVENT_FIELDS_VARIABLE = "PIPELINE_EVENT_FIELDS"
"""JSON object of the fields that a process adds to all its events, such as the trial's name."""
STEPS_VARIABLE = "PIPELINE_STEPS"
"""Path of the file in which a training worker keeps its count of steps."""
REPORT_VARIABLE = "PIPELINE_REPORT"
"""Path of the file in which a training worker leaves the report of its failure."""
RECORDS_VARIABLE = "PIPELINE_RECORDS"
"""Directory in which Kubeflow's tasks leave the records of all runs."""
RUN_VARIABLE = "PIPELINE_RUN_ID"
"""Id of the run to which a task of Kubeflow belongs."""
POD_VARIABLE = "KFP_POD_NAME"
"""Name of the pod in which Kubeflow runs the task."""


def caches_directory() -> Path:
    """Returns the user's directory of caches, which need not exist.

    Raises:
      RuntimeError: neither XDG_CACHE_HOME nor the user's home directory is known.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(Path.home(), ".cache")
    return Path(cache)
