"""All events of a run: one class for each, with its sender and the units of its fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pipeline.core.events.payloads import (
    LEFT_OUT_IF_NONE,
    ComponentState,
    DagFailure,
    ExportResult,
    Failure,
    Finding,
    SearchResults,
    ServingCheckResult,
    TrialResult,
    WithdrawnModel,
)


@dataclass(frozen=True)
class Event:
    """An event: its fields, and two keys of its JSON line that are the same for the whole class."""

    kind: ClassVar[str]
    """The value of the key `event`."""
    component: ClassVar[str | None] = None
    """The value of the key `component`, of events from within a component."""

    @classmethod
    def upgrade(cls, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the JSON of an event as this version writes it."""
        return content

    @classmethod
    def is_described_by(cls, content: Mapping[str, Any]) -> bool:
        """Whether `content` is of this kind and has every field that has no default."""
        required = (
            f.name
            for f in dataclasses.fields(cls)
            if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        )
        return content.get("event") == cls.kind and all(name in content for name in required)


@dataclass(frozen=True)
class PipelineStarted(Event):
    """The DAG process of a local run sends this once, before the first component starts."""

    kind = "pipeline"
    components: tuple[str, ...]
    """The ids of all components, in the order in which they run."""
    run_id: str | None = None
    """The run's id in ML Metadata: the name of its `pipeline_run` context."""
    upstream: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The ids of the components that each component waits for; empty in older logs."""
    code: Mapping[str, str] = field(default_factory=dict)
    """The digest of the code that each component runs, if it is code of this project; empty in
    older logs."""


@dataclass(frozen=True)
class ComponentChanged(Event):
    """The DAG process of a local run sends this when a component starts and when it ends."""

    kind = "component"
    name: str
    """The component's id."""
    state: ComponentState
    seconds: float | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Wall time of the component; absent while it runs."""
    rows: Mapping[str, int] | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Rows of each split, from the property `rows` of the component's outputs."""
    note: str | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """A sentence for the user, from the property `note` of the component's outputs."""


@dataclass(frozen=True)
class JobStarted(Event):
    """The running component sends this when an engine has taken one of its Beam jobs."""

    kind = "job"
    engine: str
    """The value of `engine.kind`."""
    name: str
    """The job's name on the engine."""
    page: str = ""
    """The address of the job's page, or of the engine's; empty if neither is known."""


@dataclass(frozen=True)
class JobProgressed(Event):
    """The running component sends this when more tasks of its job have ended, every two seconds.

    It sends nothing where `engine.page` is not Flink's.
    """

    kind = "job_progress"
    name: str
    """The job's name on the engine."""
    finished: int
    """Tasks that have ended; a task that is started again counts as not ended."""
    tasks: int
    """All tasks of the job."""


@dataclass(frozen=True)
class DataChecked(Event):
    """The DAG process of a local run sends this before RunEnded, also after a failure.

    It sends nothing if the data gate wrote no report.
    """

    kind = "findings"
    checked_against: str
    """The source of the schema, such as "the served model" or "itself (first run)"."""
    findings: tuple[Finding, ...]
    """The gravest finding comes first."""


@dataclass(frozen=True)
class WarmStarted(Event):
    """The chief sends this before training, if training starts from the served model's weights."""

    kind = "warm_start"
    component = "Trainer"
    served_weights: int
    """Number of variables that were copied from the served model."""
    weights: int
    """Number of variables that training learns."""


@dataclass(frozen=True)
class TrainingResumed(Event):
    """The chief sends this before training, if training continues from a backup."""

    kind = "resumed"
    component = "Trainer"
    epoch: int
    """Number of finished epochs."""
    step: int
    """Number of finished steps of the epoch after these; 0 at an epoch's end."""
    unit: str = "epoch"
    """`iteration` in a training of trees: these stand in the place of epochs."""


@dataclass(frozen=True)
class OtherBackupFound(Event):
    """The chief sends this before training, if only trainings of another kind left a backup."""

    kind = "other_backup"
    component = "Trainer"
    directory: str
    """The newest of these backups."""


@dataclass(frozen=True)
class BatchesPlanned(Event):
    """The chief sends this once at each start of training."""

    kind = "batches"
    component = "Trainer"
    train_examples: int
    """Rows of the training split."""
    eval_examples: int
    """Rows of the evaluation split."""
    global_batch_size: int
    """Examples of one step, over all replicas."""
    batch_size: int
    """Examples of one step on one replica."""
    steps_per_epoch: int
    """Steps."""
    replicas: int
    """Number of replicas over all workers."""
    asked: int
    """Examples: the configured `training.global_batch_size`."""
    micro_batch_size: int | None
    """Examples that a replica computes at a time; None for the whole batch."""


@dataclass(frozen=True)
class SettingsUnread(Event):
    """The chief sends this before a training of trees, if settings of networks were changed."""

    kind = "unread"
    component = "Trainer"
    keys: Sequence[str]
    """The keys of `model` and `training` that differ from the default and have no effect."""


@dataclass(frozen=True)
class WarmupTooLong(Event):
    """The chief sends this at the start of training, if the warm-up lasts to the end or longer."""

    kind = "warmup"
    component = "Trainer"
    warmup_steps: int
    """Steps of `training.schedule.warmup_steps`."""
    steps: int
    """Steps of the whole training, without early stopping."""


@dataclass(frozen=True)
class TrainingProgress(Event):
    """The chief sends this at the end of each epoch, and at most twice a second within one."""

    kind = "progress"
    component = "Trainer"
    epoch: int
    """The current epoch, from 1 on."""
    epochs: int
    """Epochs of the whole training, without early stopping."""
    step: int
    """Finished steps of the current epoch."""
    steps_per_epoch: int
    """Steps."""
    loss: float | None
    """Training loss, mean over the current epoch's steps so far."""
    eval_loss: float | None
    """Evaluation loss; None within an epoch."""
    examples_per_second: float
    """Examples per second in the current epoch, over all replicas."""
    seconds_left: float | None = None
    """Estimated seconds to the end of the last epoch; None while no speed is known."""
    unit: str = "epoch"
    """`iteration` in a training of trees."""


@dataclass(frozen=True)
class TrainingEnded(Event):
    """The chief sends this once, when the model has the best epoch's weights."""

    kind = "trained"
    component = "Trainer"
    epochs: int
    """Configured epochs."""
    last_epoch: int
    """The last trained epoch, from 1 on; smaller than `epochs` after early stopping."""
    best_epoch: int
    """The epoch whose weights are kept, from 1 on."""
    best_loss: float
    """Training loss of the best epoch."""
    best_eval_loss: float
    """Evaluation loss of the best epoch."""
    unit: str = "epoch"
    """`iteration` in a training of trees."""
    time_limit: float | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """The seconds that ended the training: those of `training.seconds`, or a blend's share of them;
    absent if the training ended for another reason."""


@dataclass(frozen=True)
class PartStarted(Event):
    """The chief sends this before the training of each part of a blend."""

    kind = "part"
    component = "Trainer"
    part: str
    """`network` or `trees`."""
    number: int
    """Which of the parts of its kind, from 1 on."""
    count: int
    """Which of all parts, from 1 on."""
    parts: int
    """The number of all parts, if the time suffices."""


@dataclass(frozen=True)
class PartFailed(Event):
    """The chief sends this if the training of a part fails and the other parts go on."""

    kind = "part_failed"
    component = "Trainer"
    part: str
    """`network` or `trees`."""
    number: int
    """Which of the parts of its kind, from 1 on."""
    reason: str
    """Why it failed, in one sentence."""


@dataclass(frozen=True)
class PartsWeighed(Event):
    """The chief sends this when the weights of a blend's parts are found."""

    kind = "weighed"
    component = "Trainer"
    parts: Mapping[str, float]
    """The weight of each part by its name, such as `trees 1`; all sum to 1."""
    eval_loss: float
    """Evaluation loss of the weighted mean."""
    temperatures: Mapping[str, float] = field(default_factory=dict)
    """What the logits of a part are divided by, for each part whose probabilities are corrected."""


@dataclass(frozen=True)
class WorkersRestarted(Event):
    """The supervisor of the workers sends this when it starts all of them again after a loss."""

    kind = "restart"
    component = "Trainer"
    cause: str
    """Why the attempt ended, in one sentence."""
    seconds: float
    """Seconds until the restart."""


@dataclass(frozen=True)
class WorkersExposed(Event):
    """The launcher of local workers sends this if they share the network of the machine."""

    kind = "exposed"
    component = "Trainer"
    ports: Sequence[int]
    """The ports on which the workers listen."""
    reason: str
    """Why the workers have no private network."""

    @property
    def sentence(self) -> str:
        """What may happen and what to do."""
        return (
            f"Whoever reaches TCP ports {', '.join(map(str, self.ports))} of this machine can run "
            f"code as you while the workers train ({self.reason}). Let a firewall refuse other "
            "machines, and train where no other user works"
        )


@dataclass(frozen=True)
class SearchResumed(Event):
    """The Tuner sends this before the first trial, if it continues an interrupted search."""

    kind = "resumed"
    component = "Tuner"
    trials: int
    """Number of trials that had ended."""


@dataclass(frozen=True, kw_only=True)
class TrialChanged(TrialResult, Event):
    """The Tuner sends this when a trial starts and when it ends."""

    kind = "trial"
    component = "Tuner"
    trials: int | None
    """Number of trials of the whole search; None if the algorithm (Hyperband) decides it."""
    ended: int
    """Number of trials that are done or failed."""
    best: float | None
    """The best objective so far; None before the first trial is done."""


@dataclass(frozen=True)
class RunEnded(Event):
    """The DAG process of a local run sends this as its last event, unless it is killed."""

    kind = "end"
    exit_code: int
    """The exit code of the command."""
    error: DagFailure | Failure | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Why the run ended early; absent if all components ran."""
    schema: str | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """The path of the curated schema."""
    tuning: SearchResults | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """The table of the search; absent without a search."""
    blessed: bool | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Whether the model met all thresholds; absent if the run stopped before the Pusher."""
    pushed: str | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """The directory of the served version; absent if nothing is served."""
    waiting: str | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """The directory where the candidate waits for `promote`; absent if it does not wait."""
    withdrawn: WithdrawnModel | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Who withdrew the model, when and why; absent if nobody did."""
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Metrics of the model, by slice and metric; the whole split is the slice ''."""
    baseline_metrics: Mapping[str, float] = field(default_factory=dict)
    """Metrics of the served model on the whole split, by metric."""
    missed: tuple[str, ...] = ()
    """One sentence for each missed threshold and each missed gap."""
    serving_check: ServingCheckResult | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """Whether the model can be served; absent if the model was not checked."""
    exports: tuple[ExportResult, ...] = ()
    """The exports, and the models that they are compared with; empty without exports."""
    warnings: tuple[str, ...] = ()
    """One sentence for each thing that a person should know, although it decided nothing."""

    @classmethod
    def upgrade(cls, content: Mapping[str, Any]) -> Mapping[str, Any]:
        # Earlier versions wrote {} for a run without a search.
        return {**content, "tuning": content.get("tuning") or None}


EVENT_TYPES: tuple[type[Event], ...] = (
    PipelineStarted,
    ComponentChanged,
    JobStarted,
    JobProgressed,
    DataChecked,
    WarmStarted,
    TrainingResumed,
    OtherBackupFound,
    BatchesPlanned,
    SettingsUnread,
    WarmupTooLong,
    TrainingProgress,
    TrainingEnded,
    PartStarted,
    PartFailed,
    PartsWeighed,
    WorkersRestarted,
    WorkersExposed,
    SearchResumed,
    TrialChanged,
    RunEnded,
)
