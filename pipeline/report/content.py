"""The content of a run's page and of its `report.json`: what happened, and why.

The page is a function of this content alone. Whatever the page shows, a script can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from pipeline.core.events import ExportResult, Finding, SearchResults, ServingCheckResult

FORMAT = 1
"""The version of the layout of a Report."""


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
    warnings: tuple[str, ...] = ()
    """What a person should know, although it decided nothing; one sentence each."""


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
    jobs: tuple[str, ...] = ()
    """The pages of its jobs on an engine, or the names of jobs without a page."""


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
class BlendPart:
    """One part of a model of several: a network, or a training of trees."""

    name: str
    """Such as `trees 1`."""
    weight: float
    """Its share of the prediction; the weights of all parts sum to 1."""
    seed: int
    eval_loss: float
    """The evaluation loss of this part alone."""
    unit: str
    """`epoch` or `iteration`."""
    best_epoch: int
    """The epoch or iteration that is kept."""
    epochs: tuple[Epoch, ...]
    temperature: float = 1.0
    """What its logits are divided by before they are weighed: above 1, the part was too sure."""


@dataclass(frozen=True)
class Blend:
    """The parts of a model of several."""

    parts: tuple[BlendPart, ...]
    eval_loss: float
    """The evaluation loss of the weighted mean."""


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
    is_cached: bool = False
    """Whether an earlier run trained the model; `cached_from` is None if `gc` removed that run."""
    rows: int | None = None
    """Rows of the split train; None if the fit did not end."""
    unit: str = "epoch"
    """`iteration` in a training of trees: these stand in the place of epochs."""
    importance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of trees: the shares of the columns of the table, by `gain` and by `split`."""
    blend: Blend | None = None
    """The parts of the model; the epochs above are those of the first part."""


@dataclass(frozen=True)
class BoundCheck:
    """One bound of a metric, on the whole split."""

    sentence: str
    """Value, bound and difference."""
    passed: bool | None
    """None if the run was not judged, or if no served model was there to compare with."""
    margin: float | None
    """How far the value lies on the allowed side of the bound; negative if the bound is missed."""


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
    checks: tuple[BoundCheck, ...] = ()
    """One for each bound of the threshold."""


@dataclass(frozen=True)
class QualityPart:
    """The evaluation of the model."""

    blessed: bool | None
    """None if the run stopped before the verdict."""
    missed: tuple[str, ...]
    """One sentence for each missed threshold."""
    metrics: tuple[MetricRow, ...]
    figures: ModelFigures | None
    serving_check: ServingCheckResult | None = None
    """Whether a new process can serve the model; None if the model was not checked."""
    exports: tuple[ExportResult, ...] = ()
    """The exports, and the models that they are compared with; empty without exports."""


@dataclass(frozen=True)
class DataPart:
    """The data and what the gate says about it."""

    checked_against: str | None
    """The origin of the schema; None if the gate did not report."""
    findings: tuple[Finding, ...]
    """The gravest one first."""
    figures: DataFigures | None
    note: str = ""
    """Why the gate and the Evaluator compared with different versions; empty if they did not."""


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
class ServedVersion:
    """What the serving directory said when the page was written."""

    version: str
    """The version that was served."""
    since: str
    """ISO 8601 with an offset; empty if unknown."""
    run: str | None
    """The name of the run that made it; None if unknown, or if `gc` removed the run."""
    has_page: bool
    """Whether that run has a page, beside the page of this run."""
    baseline: str | None
    """The version that was served before, and that it was compared with; None for the first one."""
    earlier: str | None
    """The version to which `rollback` goes back; None if there is none."""


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
    served: ServedVersion | None = None
    """None if nothing was served, and on Kubeflow."""


Question = Literal[
    "broken", "since", "rows", "compared", "chance", "slice", "maker", "back", "looks", "cost"
]
"""What a user wants to know after a bad week; see pipeline/report/answers.py."""


@dataclass(frozen=True)
class Answer:
    """The answer to one question, for the list at the top of the page."""

    question: Question
    text: str
    """One sentence. Parts between backticks are shown as code."""
    place: str
    """The id of the part of the page that tells more: verdict, dag, data, training, quality, model
    or lineage."""


@dataclass(frozen=True)
class ServedModel:
    """The model that is served while this run has none of its own."""

    version: str
    run: str
    """The name of the run that made the model."""
    figures: ModelFigures
    """The figures of that run about its model."""


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
    answers: tuple[Answer, ...] = ()
    """What only the workspace knows, at most one answer to a question. The page adds answers that
    follow from this report."""
    served: ServedModel | None = None
    """None if this run has figures about its own model, or if nothing is known of a served one."""
    written: str = ""
    """When the page was written: ISO 8601 with an offset."""
