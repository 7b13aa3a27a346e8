"""Runs either pipeline as a process, as a user starts it, and measures both in the same way."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.artifacts import bytes_below
from benchmarks.measuring.process import Finished, run_command
from benchmarks.measuring.workload import PYTHON, Splits, Workload
from benchmarks.spec import ENVIRONMENT
from benchmarks.stock.job import Job
from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import ComponentChanged, EventReader


@dataclass(frozen=True)
class PipelineRun:
    """The time, memory and bytes of one run."""

    directory: Path
    process: Finished
    components: dict[str, float]
    """The seconds of each node's launch, from its driver to its published outputs."""
    written: int
    """The bytes of all files that the run wrote."""

    @property
    def start(self) -> float:
        """The seconds from the start of the process to the start of the first component."""
        assert self.process.awaited is not None
        return self.process.awaited

    @property
    def work(self) -> float:
        """The seconds from the start of the first component to the end of the process."""
        return self.process.seconds - self.start


def run_ours(workload: Workload, directory: Path) -> PipelineRun:
    """Runs `python -m pipeline run` with an empty output directory."""
    shutil.rmtree(directory, ignore_errors=True)
    return rerun_ours(workload, directory)


def rerun_ours(workload: Workload, directory: Path) -> PipelineRun:
    """Runs `python -m pipeline run` with an output directory that may hold earlier runs."""
    summary, before = directory.with_suffix(".json"), set(directory.glob("logs/*"))
    command = [PYTHON, "-m", "pipeline", "run", *workload.arguments()]
    finished = run_command(
        [*command, "--output", str(directory), "--json", str(summary)],
        directory.with_suffix(".log"),
        awaited=lambda: any(
            _component_changes(path / RunFile.EVENTS)
            for path in set(directory.glob("logs/*")) - before
        ),
    )
    content = json.loads(summary.read_text(encoding="utf-8"))
    seconds = {component["name"]: component["seconds"] for component in content["components"]}
    return PipelineRun(directory, finished, seconds, bytes_below(directory))


def read_summary(run: PipelineRun) -> dict[str, Any]:
    """Returns the summary that `run --json` wrote."""
    summary: dict[str, Any] = json.loads(run.directory.with_suffix(".json").read_text())
    return summary


def read_metrics(run: PipelineRun) -> dict[str, dict[str, float]]:
    """Returns the metrics by slice and name. An undefined metric, null in JSON, is NaN."""
    return {
        name: {metric: math.nan if value is None else value for metric, value in values.items()}
        for name, values in read_summary(run)["metrics"].items()
    }


def run_stock(workload: Workload, splits: Splits, directory: Path) -> PipelineRun:
    """Runs the stock pipeline in a process, with an empty output directory."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    job, events = directory.with_suffix(".job.json"), directory.with_suffix(".events.jsonl")
    events.unlink(missing_ok=True)
    Job(
        config=workload.config.model_dump_json(by_alias=True),
        splits=str(splits.directory),
        rows=splits.rows,
        label_counts=splits.label_counts,
        directory=str(directory),
    ).write(job)
    finished = run_command(
        [PYTHON, "-m", "benchmarks.stock.worker", str(job)],
        directory.with_suffix(".log"),
        {**ENVIRONMENT, EVENTS_VARIABLE: str(events)},
        awaited=lambda: bool(_component_changes(events)),
    )
    seconds = {c.name: c.seconds for c in _component_changes(events) if c.seconds is not None}
    return PipelineRun(directory, finished, seconds, bytes_below(directory))


def _component_changes(path: Path) -> list[ComponentChanged]:
    events = (envelope.event for envelope in EventReader(path).read())
    return [event for event in events if isinstance(event, ComponentChanged)]
