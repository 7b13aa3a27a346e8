"""The summary of a run: the content of `run --json` and of each run's summary.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.core.contracts import Node
from pipeline.core.errors import PipelineError
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    Event,
    ExportResult,
    Failure,
    JobStarted,
    PipelineStarted,
    RunEnded,
    SearchResults,
    ServingCheckResult,
    WithdrawnModel,
    to_json,
)
from pipeline.core.files import write_text_atomically
from pipeline.core.statuses import Status
from pipeline.core.text import readable_json
from pipeline.terminal.acceptance import warn_about


@dataclass(frozen=True)
class RemovedRuns:
    """What `gc`, or the section `retention`, removed."""

    runs: int = 0
    artifacts: int = 0
    """Artifacts that are now marked as deleted."""
    bytes: int = 0
    """The space on the disk that became free."""
    error: str | None = None
    """Why old runs are still there."""


@dataclass
class Component:
    """One component of a run."""

    name: str
    state: str
    """waiting (on a display only), running, complete, cached, failed or interrupted."""
    cached: bool = False
    seconds: float | None = None
    """Wall time; None until the component has ended."""
    rows: Mapping[str, int] | None = None
    """Rows of each split."""
    note: str | None = None
    """A sentence for the user."""
    jobs: tuple[str, ...] = ()
    """The pages of its jobs on an engine, or the names of jobs without a page."""

    @classmethod
    def from_event(cls, event: ComponentChanged) -> Component:
        """Returns the component after its event."""
        return cls(
            name=event.name,
            state=event.state,
            cached=event.state == "cached",
            seconds=event.seconds,
            rows=event.rows,
            note=event.note,
        )


@dataclass
class Summary:
    """One run; its events fill the fields in."""

    name: str
    """The pipeline's name."""
    run: str
    """The name of the run's directory of logs."""
    log: str
    """The path of the run's log."""
    exit_code: int | None = None
    status: Status = Status.RUNNING
    run_id: str | None = None
    """The run's id in ML Metadata; None if the run ended before its first component."""
    started: str | None = None
    """ISO 8601 with the offset of this machine's time zone."""
    ended: str | None = None
    """As `started`."""
    seconds: float | None = None
    """Wall time of the run."""
    blessed: bool | None = None
    """Whether the model met all thresholds; None if the run stopped before the Pusher."""
    pushed: str | None = None
    """The directory of the served version."""
    waiting: str | None = None
    """The directory where the model waits for `promote`."""
    withdrawn: WithdrawnModel | None = None
    """Who withdrew the model, when and why; None if nobody did."""
    schema: str | None = None
    """The curated schema's file."""
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Metrics by slice and name; the whole split is the slice ''."""
    baseline_metrics: Mapping[str, float] = field(default_factory=dict)
    """Metrics of the served model on the whole split, by name."""
    deciding: Sequence[str] = ()
    """The names of the metrics with thresholds, in the order of the configuration."""
    missed: Sequence[str] = ()
    """One sentence for each missed threshold and each missed gap."""
    serving_check: ServingCheckResult | None = None
    """Whether the model can be served; {} in the JSON if the model was not checked."""
    exports: Sequence[ExportResult] = ()
    """The exports, and the models that they are compared with; empty without exports."""
    warnings: Sequence[str] = ()
    """One sentence for each thing that a person should know, although it decided nothing."""
    tuning: SearchResults | None = None
    """The table of the search; {} in the JSON if there was no search."""
    findings: DataChecked | None = None
    """The report of the data gate; {} in the JSON if the gate wrote none."""
    error: DagFailure | Failure | None = None
    removed: RemovedRuns | None = None
    """What `retention.keep_runs` removed after the run; None without that setting."""
    report: str | None = None
    """The path of the run's page; None if it could not be written."""
    components: list[Component] = field(default_factory=list)
    """In the order in which they ran."""

    def add(self, event: Event) -> None:
        """Takes over one event of the DAG process."""
        match event:
            case PipelineStarted():
                self.run_id = event.run_id
            case ComponentChanged():
                self._add_component(Component.from_event(event))
            case JobStarted():
                self._add_job(event.page or event.name)
            case DataChecked():
                self.findings = event
                self.warnings = warn_about(event)
            case RunEnded():
                self.exit_code = event.exit_code
                self.error = event.error
                self.schema = event.schema
                self.tuning = event.tuning
                self.blessed = event.blessed
                self.pushed = event.pushed
                self.waiting = event.waiting
                self.withdrawn = event.withdrawn
                self.metrics = event.metrics
                self.baseline_metrics = event.baseline_metrics
                self.missed = event.missed
                self.serving_check = event.serving_check
                self.exports = event.exports
                self.warnings = (*self.warnings, *event.warnings)

    @classmethod
    def of_refused_run(cls, error: PipelineError) -> Summary:
        """Returns the summary of a run that was refused before its DAG process started."""
        return cls(
            name="",
            run="",
            log="",
            exit_code=error.exit_code,
            status=Status.of(error.exit_code),
            error=Failure(error.message, error.hint),
        )

    def finish(self, return_code: int) -> None:
        """Sets the status, and the error of a DAG process that died without an exit code.

        `return_code` is the DAG process's, negative after a signal.
        """
        if self.exit_code is None:
            self.exit_code = 1
            how = f"by signal {-return_code}" if return_code < 0 else f"with code {return_code}"
            killed = "the machine may have run out of memory; the same command continues the run"
            hint = killed if return_code == -9 else ""
            self.error = Failure(f"the run's process ended {how}", hint)
        if self.exit_code == 0 and self.blessed is None:
            self.status = Status.TUNED if self.tuning else Status.SCHEMA
        else:
            self.status = Status.of(self.exit_code, self.component)

    @property
    def component(self) -> str | None:
        """The component in which the run ended early, or which is at work."""
        if isinstance(self.error, DagFailure) and self.error.component:
            return self.error.component
        early = ("failed", "interrupted", "running")
        return next((c.name for c in self.components if c.state in early), None)

    @property
    def is_unchanged(self) -> bool:
        """Whether an earlier run made the served model, and this run pushed nothing."""
        is_cached = any(c.name == Node.PUSHER and c.cached for c in self.components)
        return is_cached or bool(self.push_note)

    @property
    def push_note(self) -> str:
        """Why a repeated training left the served model as it is; empty for other runs."""
        return next((c.note or "" for c in self.components if c.name == Node.PUSHER), "")

    def write(self, path: Path) -> None:
        """Writes the summary as JSON."""
        write_text_atomically(path, self.to_json(), durable=True)

    def to_json(self) -> str:
        """Returns the summary as JSON; undefined metrics are null."""
        content = to_json(self)
        for key in ("serving_check", "tuning", "findings"):
            content[key] = content[key] or {}
        return readable_json(content)

    def _add_component(self, component: Component) -> None:
        names = [c.name for c in self.components]
        if component.name in names:
            earlier = self.components[names.index(component.name)]
            component.jobs = earlier.jobs
            self.components[names.index(component.name)] = component
        else:
            self.components.append(component)

    def _add_job(self, job: str) -> None:
        """Adds a job to the running component; a job before all components checked the engine."""
        for component in self.components:
            if component.state == "running":
                component.jobs = (*component.jobs, job)
