"""The lines and sentences about training, for a terminal and for a log."""

from __future__ import annotations

from pipeline.core.events import (
    BatchesPlanned,
    OtherBackupFound,
    PartFailed,
    PartStarted,
    PartsWeighed,
    SettingsUnread,
    TrainingEnded,
    TrainingProgress,
    TrainingResumed,
    WarmStarted,
    WarmupTooLong,
    WorkersRestarted,
)
from pipeline.core.text import list_first

_IMPORTANCE = ("epoch", "left", "loss", "step", "eval loss", "speed", "bar")
"""The parts of a progress line; a narrow terminal loses the last ones first."""
_MOST_KEYS = 4
"""Keys without effect that the sentence names; it counts the others."""
_BAR_CELLS = 16
"""Columns of the progress bar: a line with all parts then has about 100 columns."""


def format_progress(progress: TrainingProgress, width: int | None = None) -> str:
    """Returns the line for the terminal, with as many parts as `width` columns can hold."""
    parts = _parts(progress)
    for count in range(len(_IMPORTANCE), 0, -1):
        kept = _IMPORTANCE[:count]
        line = "  ".join(text for name, text in parts.items() if name in kept)
        if width is None or len(line) <= width:
            return line
    return ""


def describe_progress(progress: TrainingProgress) -> str:
    """Returns the line for a log: every part but the bar and the estimate of the time left."""
    parts = _parts(progress)
    return ", ".join(text for name, text in parts.items() if name not in ("bar", "left"))


def format_result(progress: TrainingProgress, width: int) -> str:
    """Returns the final epoch and losses, as many of them as `width` columns can hold."""
    parts = _parts(progress)
    for names in (("epoch", "loss", "eval loss"), ("loss", "eval loss"), ("eval loss",)):
        line = "  ".join(parts[name] for name in names if name in parts)
        if len(line) <= width:
            return line
    return ""


def describe_resumption(resumed: TrainingResumed) -> str:
    """Returns the sentence about the place from which an interrupted training continues."""
    epoch, step = resumed.epoch, resumed.step
    unit = resumed.unit
    place = f"step {step} of {unit} {epoch + 1}" if step else f"{unit} {epoch}"
    return f"Trainer goes on after {place}, from its backup"


def describe_other_backup(found: OtherBackupFound) -> str:
    """Returns the sentence that says why a backup is not continued."""
    return (
        f"starts from the beginning: {found.directory} has a backup, but of a training with other "
        "code, settings or rows"
    )


def describe_restart(restart: WorkersRestarted) -> str:
    """Returns the sentence that says why all workers start again."""
    seconds = format_seconds(round(restart.seconds))
    return f"{restart.cause}; all workers start again in {seconds}"


def describe_warm_start(start: WarmStarted) -> str:
    """Returns the sentence that says how many weights come from the served model."""
    if not start.served_weights:
        return f"starts from new weights: the served model has none of its {start.weights}"
    return f"starts from {start.served_weights} of its {start.weights} weights in the served model"


def describe_batches(batches: BatchesPlanned) -> str:
    """Returns how batches differ from `training.global_batch_size`; empty if they do not differ."""
    size, asked = batches.global_batch_size, batches.asked
    parts = []
    if batches.replicas > 1:
        parts.append(f"{batches.batch_size:,} on each of {batches.replicas} replicas")
    if (batches.micro_batch_size or size) < batches.batch_size:
        parts.append(f"{batches.micro_batch_size:,} at a time")
    if size == asked // batches.replicas * batches.replicas != asked:
        parts.append(f"not {asked:,}, since each replica gets the same number")
    elif size != asked:
        parts.append(f"not {asked:,}, since split train has {batches.train_examples:,}")
    return ", ".join([f"{size:,} examples a step", *parts]) if parts else ""


def describe_long_warmup(warmup: WarmupTooLong) -> str:
    """Returns the sentence that says that the warm-up outlasts the training."""
    return (
        f"never reaches its learning rate: training.schedule.warmup_steps is "
        f"{warmup.warmup_steps:,}, and there are {warmup.steps:,} steps in all"
    )


def describe_unread(unread: SettingsUnread) -> str:
    """Returns the sentence that names the settings without effect, at most as many as fit."""
    shown = ", ".join(list_first(unread.keys, _MOST_KEYS, "key"))
    return f"does not read {shown}: a model of trees alone has no use for these settings"


def describe_part(started: PartStarted) -> str:
    """Returns the sentence that says which part of a blend is trained now."""
    return f"trains {started.part} {started.number}, part {started.count} of {started.parts}"


def describe_failed_part(failed: PartFailed) -> str:
    """Returns the sentence that says which part of a blend is missing, and why."""
    return f"goes on without {failed.part} {failed.number}: {failed.reason}"


def describe_weights(weighed: PartsWeighed) -> str:
    """Returns the sentence that says how much each part of a blend counts."""
    parts = ", ".join(
        f"{name} {weight:.2f}"
        + (
            f" (temperature {weighed.temperatures[name]:.2f})"
            if name in weighed.temperatures
            else ""
        )
        for name, weight in weighed.parts.items()
    )
    return f"blends its parts, {parts}: eval loss {weighed.eval_loss:.4f}"


def describe_training_end(ended: TrainingEnded) -> str:
    """Returns the sentence that says which epoch's weights are kept."""
    limit = ended.time_limit
    over = f" at the time limit of {limit:g} s" if limit else ""
    return (
        f"ended after {ended.unit} {ended.last_epoch} of {ended.epochs}{over}, "
        f"{ended.unit} {ended.best_epoch} is kept: eval loss {ended.best_eval_loss:.4f}"
    )


def format_seconds(seconds: float) -> str:
    """Returns a time as a stop watch shows it: 4.9 s, 1:05 or 2:03:45; an int has no tenths."""
    if seconds < 59.95:
        return f"{seconds:.0f} s" if isinstance(seconds, int) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _parts(progress: TrainingProgress) -> dict[str, str]:
    """Returns the texts of a progress line by name, from left to right."""
    steps = progress.steps_per_epoch
    done = (progress.epoch - 1) * steps + progress.step
    filled = _BAR_CELLS * done // (progress.epochs * steps)
    parts = {
        "bar": "━" * filled + "─" * (_BAR_CELLS - filled),
        "epoch": f"{progress.unit} {progress.epoch} of {progress.epochs}",
    }
    if progress.unit == "epoch":
        parts["step"] = f"step {progress.step} of {steps}"
    if progress.loss is not None:
        parts["loss"] = f"loss {progress.loss:.4f}"
    if progress.eval_loss is not None:
        parts["eval loss"] = f"eval loss {progress.eval_loss:.4f}"
    parts["speed"] = f"{progress.examples_per_second:,.0f} examples/s"
    if progress.seconds_left is not None:
        parts["left"] = f"ETA {format_seconds(round(progress.seconds_left))}"
    return parts
