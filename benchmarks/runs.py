"""One run of either pipeline as a whole process, as a user would start it, measured alike."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.artifacts import bytes_below
from benchmarks.process import Finished, run_command
from benchmarks.spec import ENVIRONMENT
from benchmarks.stock.job import Job
from benchmarks.workload import PYTHON, Splits, Workload
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import ComponentChanged, EventReader


@dataclass(frozen=True)
class PipelineRun:
    """What one run took."""

    directory: Path
    process: Finished
    components: dict[str, float]
    """Seconds of each node: the whole of its launch, from its driver to its published outputs."""
    written: int
    """Bytes of all files the run left."""

    @property
    def start(self) -> float:
        """The seconds from the start of the process to that of the first component."""
        assert self.process.awaited is not None
        return self.process.awaited

    @property
    def work(self) -> float:
        """The seconds from the start of the first component to the end of the process."""
        return self.process.seconds - self.start


def run_ours(workload: Workload, directory: Path) -> PipelineRun:
    """`python -m pipeline run` into a fresh directory."""
    shutil.rmtree(directory, ignore_errors=True)
    return rerun_ours(workload, directory)


def rerun_ours(workload: Workload, directory: Path) -> PipelineRun:
    """`python -m pipeline run` into a directory that may hold earlier runs."""
    summary, before = directory.with_suffix(".json"), set(directory.glob("logs/*"))
    command = [PYTHON, "-m", "pipeline", "run", *workload.arguments()]
    finished = run_command(
        [*command, "--output", str(directory), "--json", str(summary)],
        directory.with_suffix(".log"),
        awaited=lambda: any(
            _component_changes(path / "events.jsonl")
            for path in set(directory.glob("logs/*")) - before
        ),
    )
    told = json.loads(summary.read_text(encoding="utf-8"))
    seconds = {component["name"]: component["seconds"] for component in told["components"]}
    return PipelineRun(directory, finished, seconds, bytes_below(directory))


def read_summary(run: PipelineRun) -> dict[str, Any]:
    """What `run --json` wrote."""
    summary: dict[str, Any] = json.loads(run.directory.with_suffix(".json").read_text())
    return summary


def read_metrics(run: PipelineRun) -> dict[str, dict[str, float]]:
    """By slice and name; what is undefined, for which JSON has no word, is NaN."""
    return {
        name: {metric: math.nan if value is None else value for metric, value in values.items()}
        for name, values in read_summary(run)["metrics"].items()
    }


def run_stock(workload: Workload, splits: Splits, directory: Path) -> PipelineRun:
    """The stock pipeline in a process of its own, into a fresh directory."""
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
