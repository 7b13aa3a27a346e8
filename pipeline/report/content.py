"""The content of a run's page and of its `report.json`: what happened, and why.

The page is a function of this content alone. Whatever the page shows, a script can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from pipeline.core.events import Finding, SearchResults


@dataclass(frozen=True)
class NextStep:
    """What the user can do now."""

    text: str
    command: str | None
    """The command that does it, complete, or None."""


@dataclass(frozen=True)
class Verdict:
    """How the run ended, and what decided it."""

    status: str
    """A word of `pipeline/terminal/summary.py`, such as "pushed" or "not blessed"."""
    exit_code: int | None
    """None for a run whose command was killed."""
    headline: str
    """One sentence."""
    reasons: tuple[str, ...]
    """The sentences and numbers that decided."""
    next_steps: tuple[NextStep, ...]
    """The most useful one first."""


@dataclass(frozen=True)
class ComponentRow:
    """One node of the DAG."""

    name: str
    state: str
    """waiting, running, complete, cached, failed or interrupted."""
    seconds: float | None
    """Wall time in this run; None if the component did not end."""
    rows: Mapping[str, int] | None
    """Rows of each split that the component wrote."""
    note: str | None
    """A sentence for the user."""
    upstream: tuple[str, ...]
    """The names of the nodes that it waits for."""


@dataclass(frozen=True)
class Epoch:
    """One epoch of a fit."""

    number: int
    """From 1 on."""
    values: Mapping[str, float | None]
    """By name: loss, eval_loss, every metric, learning_rate, seconds, examples_per_second."""


@dataclass(frozen=True)
class Restart:
    """All workers were started again after the loss of one."""

    seconds: float | None
    """Seconds after the start of the run."""
    cause: str


@dataclass(frozen=True)
class TrainingPart:
    """The fit of the model, in this run or in the run that the cache took it from."""

    cached_from: str | None
    """The name of the run that trained the model; None if this run did."""
    epochs: tuple[Epoch, ...]
    best_epoch: int | None
    """The epoch whose weights are kept; None if the fit did not end."""
    planned_epochs: int | None
    facts: Mapping[str, str]
    """Such as workers, replicas, global batch size, parameters: by name, as the page shows it."""
    restarts: tuple[Restart, ...]
    resumed_from_epoch: int | None
    """None if the fit started anew."""
    search: SearchResults | None
    unit: str = "epoch"
    """`iteration` in a training of trees: these stand in the place of epochs."""
    importance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of trees: the shares of the columns of the table, by `gain` and by `split`."""


@dataclass(frozen=True)
class MetricRow:
    """One metric on the whole evaluated split."""

    name: str
    value: float | None
    served: float | None
    """The served model on the same rows."""
    bound: str
    """The threshold in words; empty without one."""
    passed: bool | None
    """None without a threshold."""


@dataclass(frozen=True)
class QualityPart:
    """The evaluation of the model."""

    blessed: bool | None
    """None if the run stopped before the verdict."""
    missed: tuple[str, ...]
    """One sentence for each missed threshold."""
    metrics: tuple[MetricRow, ...]
    figures: ModelFigures | None


@dataclass(frozen=True)
class DataPart:
    """The data and what the gate says about it."""

    checked_against: str | None
    """The origin of the schema; None if the gate did not report."""
    findings: tuple[Finding, ...]
    """The gravest one first."""
    figures: DataFigures | None


@dataclass(frozen=True)
class DataFile:
    """A file of the table."""

    path: str
    bytes: int | None


@dataclass(frozen=True)
class ArtifactRow:
    """An artifact that the run made or took from the cache."""

    id: int
    type: str
    uri: str
    producer: str
    """The node that made it."""
    made_by_run: str | None
    """The name of the run that made it; None if unknown."""
    parents: tuple[int, ...]
    """The ids of the artifacts that the producer read."""


@dataclass(frozen=True)
class LineagePart:
    """What the run was made from, and how to repeat it."""

    command: str
    """The command that repeats the run."""
    data_files: tuple[DataFile, ...]
    fingerprint: str | None
    """The hash of the table's content."""
    configuration: str
    """YAML with all defaults; values that look secret are masked."""
    code_digests: Mapping[str, str]
    """By component."""
    versions: Mapping[str, str]
    """By package."""
    seeds: Mapping[str, int]
    """By configuration key."""
    hardware: Mapping[str, str]
    """Such as cores, memory, GPUs, operating system: by name, as the page shows it."""
    artifacts: tuple[ArtifactRow, ...]


@dataclass(frozen=True)
class Report:
    """One run."""

    format: int
    """The version of this layout: 1."""
    pipeline: str
    """The `name` of the configuration."""
    run: str
    """The name of the run's log directory; on Kubeflow the id of the run."""
    started: str
    """ISO 8601 with an offset."""
    seconds: float | None
    """Wall time; None if the command was killed."""
    verdict: Verdict
    components: tuple[ComponentRow, ...]
    """In the order in which they run."""
    data: DataPart
    training: TrainingPart | None
    """None if the run stopped before the training."""
    quality: QualityPart | None
    """None if the run stopped before the evaluation."""
    lineage: LineagePart
