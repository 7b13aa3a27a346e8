"""Shows the records of a run's tasks in the form in which the page reads a local run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

from pydantic import TypeAdapter

from components.findings.findings import read_findings
from components.tuner.results import read_results
from pipeline.config import Config
from pipeline.config.secrets import mask_secrets
from pipeline.config.yaml_text import to_yaml
from pipeline.core.contracts import Channel, Node
from pipeline.core.errors import WAITING
from pipeline.core.events import DataChecked, Envelope, EventReader, PipelineStarted, SearchResults
from pipeline.report.content import DataFile
from pipeline.runners.kubeflow.compiling.task_names import PREPARE
from pipeline.runners.kubeflow.page.ending import Graph, judge, list_upstream
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord
from pipeline.runners.reporting.reading.machine import read_hardware, read_versions
from pipeline.runners.reporting.reading.metadata_view import ArtifactView, NodeView
from pipeline.runners.reporting.reading.record import RunRecord
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.summary import STATUS, Summary

_TRAINING = (Node.TUNER, Node.TRAINER)


@dataclass(frozen=True)
class RecordedRun:
    """The records of a run, with those of its cached tasks."""

    directory: RunDirectory
    graph: Graph
    records: Mapping[str, TaskRecord]
    config: Config

    def outcome(self, key: str, default: Any) -> Any:
        """Returns what the last task that knows the key said."""
        found = [r.outcome[key] for r in self.records.values() if key in r.outcome]
        return found[-1] if found else default

    def files(self, node: str, key: str) -> Path | None:
        """Returns the directory with the kept files of a node's output; None if there is none."""
        path = self.directory.files(node, key)
        return path if path.is_dir() and node in self.records else None


def view_files(run: RecordedRun) -> RunFiles:
    """Returns the run as its files would show it, had it been a local run."""
    content = run.config.model_dump(mode="json", by_alias=True)
    return RunFiles(
        directory=run.directory.path,
        summary=_summarize(run),
        envelopes=(Envelope(_announce(run)), *_read_events(run)),
        record=_make_record(run),
        configuration=to_yaml(mask_secrets(content)),
        config=run.config,
    )


def view_nodes(run: RecordedRun, *, in_store: bool) -> dict[str, NodeView]:
    """Returns the nodes of which there is a record.

    Args:
      in_store: whether the artifacts have their addresses in the store, which the page shows, and
        not the directories of their kept files, which it reads.
    """
    uris = [o.uri for node in run.graph for o in _outputs(run, node).values()]
    numbers = {uri: number for number, uri in enumerate(uris, start=1)}
    return {
        node: NodeView(
            state="failed" if record.state == "running" else record.state,
            upstream=tuple(run.graph[node]),
            outputs={
                key: ArtifactView(
                    id=numbers[output.uri],
                    key=key,
                    type=output.type,
                    uri=output.uri if in_store else str(run.directory.files(node, key)),
                    properties=output.properties,
                    run_id=record.run,
                    parents=tuple(sorted(_find_parents(record, numbers))),
                )
                for key, output in record.outputs.items()
            },
        )
        for node in run.graph
        if (record := run.records.get(node))
    }


def _outputs(run: RecordedRun, node: str) -> Mapping[str, Any]:
    return run.records[node].outputs if node in run.records else {}


def _find_parents(record: TaskRecord, numbers: Mapping[str, int]) -> set[int]:
    return {numbers[uri] for uris in record.inputs.values() for uri in uris if uri in numbers}


def _summarize(run: RecordedRun) -> Summary:
    ending = judge(run.graph, run.records)
    waiting = run.outcome("waiting", None)
    exit_code = WAITING if waiting and ending.exit_code == 0 else ending.exit_code
    started = min((r.started for r in _list_own(run)), default=time())
    return Summary(
        name=run.config.name,
        run=run.directory.run,
        log="",
        exit_code=exit_code,
        status=STATUS[exit_code],
        run_id=run.directory.run,
        started=datetime.fromtimestamp(started).astimezone().isoformat(timespec="milliseconds"),
        seconds=round(time() - started, 3),
        blessed=run.outcome("blessed", None),
        pushed=run.outcome("pushed", None),
        waiting=waiting,
        metrics=run.outcome("metrics", {}),
        baseline_metrics=run.outcome("baseline_metrics", {}),
        missed=run.outcome("missed", ()),
        tuning=_read_search(run),
        findings=_read_findings(run),
        error=ending.failure,
        components=list(ending.components),
    )


def _list_own(run: RecordedRun) -> Sequence[TaskRecord]:
    """Returns the records of the tasks that this run itself executed."""
    return [record for record in run.records.values() if record.state != "cached"]


def _read_findings(run: RecordedRun) -> DataChecked | None:
    directory = run.files(Node.ANOMALY_REPORT, Channel.FINDINGS)
    if directory is None:
        return None
    findings = read_findings(str(directory))
    return DataChecked(findings.checked_against, findings.findings)


def _read_search(run: RecordedRun) -> SearchResults | None:
    directory = run.files(Node.TUNER, Channel.TUNER_RESULTS)
    return read_results(str(directory)) if directory else None


def _announce(run: RecordedRun) -> PipelineStarted:
    return PipelineStarted(
        components=tuple(run.graph),
        run_id=run.directory.run,
        upstream=dict(list_upstream(run.graph, PREPARE)),
        code={name: code for r in run.records.values() for name, code in r.code.items()},
    )


def _read_events(run: RecordedRun) -> Iterator[Envelope]:
    for node in _TRAINING:
        yield from EventReader(run.directory.events(node)).read()


def _make_record(run: RecordedRun) -> RunRecord:
    files = TypeAdapter(tuple[DataFile, ...]).validate_python(run.outcome("data_files", ()))
    trainer = run.records.get(Node.TRAINER)
    return RunRecord(
        arguments=("deploy",),
        directory="",
        data_files=files,
        # All tasks of a run have the image of this one.
        versions=read_versions(),
        hardware=trainer.hardware if trainer and trainer.hardware else read_hardware(),
    )
