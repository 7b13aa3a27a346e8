"""Training's progress in words: as much of it as a line can hold."""

from __future__ import annotations

from pipeline.core.events import (
    BatchesPlanned,
    TrainingEnded,
    TrainingProgress,
    TrainingResumed,
    WarmStarted,
    WarmupTooLong,
    WorkersRestarted,
)

_IMPORTANCE = ("epoch", "left", "loss", "step", "eval loss", "speed", "bar")
_BAR_CELLS = 16


def progress_line(progress: TrainingProgress, width: int | None = None) -> str:
    """One line for the terminal, without what is least important where it would be too long."""
    parts = _parts(progress)
    for count in range(len(_IMPORTANCE), 0, -1):
        kept = _IMPORTANCE[:count]
        line = "  ".join(text for name, text in parts.items() if name in kept)
        if width is None or len(line) <= width:
            return line
    return ""


def progress_sentence(progress: TrainingProgress) -> str:
    """One line for a log: everything but the estimate, which nobody reads later."""
    parts = _parts(progress)
    return ", ".join(text for name, text in parts.items() if name not in ("bar", "left"))


def progress_result(progress: TrainingProgress, width: int) -> str:
    """What training came to, or as much of it as a line can hold."""
    parts = _parts(progress)
    for names in (("epoch", "loss", "eval loss"), ("loss", "eval loss"), ("eval loss",)):
        line = "  ".join(parts[name] for name in names if name in parts)
        if len(line) <= width:
            return line
    return ""


def resumed_sentence(resumed: TrainingResumed) -> str:
    """From where an interrupted training goes on."""
    epoch, step = resumed.epoch, resumed.step
    place = f"step {step} of epoch {epoch + 1}" if step else f"epoch {epoch}"
    return f"Trainer goes on after {place}, from its backup"


def restart_sentence(restart: WorkersRestarted) -> str:
    """Why all workers begin anew."""
    return f"{restart.cause}; all workers start again in {clock(round(restart.seconds))}"


def warm_start_sentence(start: WarmStarted) -> str:
    """How much of the served model a warm start could take over."""
    taken, wanted = start.served_weights, start.weights
    if not taken:
        return f"starts anew: there are no served weights for any of its {wanted}"
    return f"starts from {taken} of its {wanted} weights in the served model"


def batches_sentence(batches: BatchesPlanned) -> str:
    """What became of the batch that was asked for; nothing where it is worked on as it is."""
    size, asked = batches.global_batch_size, batches.asked
    parts = []
    if batches.replicas > 1:
        parts.append(f"{batches.batch_size:,} on each of {batches.replicas} replicas")
    if (batches.micro_batch_size or size) < batches.batch_size:
        parts.append(f"{batches.micro_batch_size:,} at a time")
    if size == asked // batches.replicas * batches.replicas != asked:
        parts.append(f"not {asked:,}: all replicas take equally many")
    elif size != asked:
        parts.append(f"not {asked:,}: there are {batches.train_examples:,} to train on")
    return ", ".join([f"{size:,} examples a step", *parts]) if parts else ""


def warmup_sentence(warmup: WarmupTooLong) -> str:
    """That the learning rate never gets where it was meant to."""
    return (
        f"never reaches its learning rate: training.schedule.warmup_steps is "
        f"{warmup.warmup_steps:,}, and there are {warmup.steps:,} steps in all"
    )


def trained_sentence(trained: TrainingEnded) -> str:
    """Which epoch's weights are kept."""
    return (
        f"ended after epoch {trained.last_epoch} of {trained.epochs}, "
        f"epoch {trained.best_epoch} is kept: eval loss {trained.best_eval_loss:.4f}"
    )


def clock(seconds: float) -> str:
    """As on a stop watch: 4.9 s, 12 s (of whole ones that tick), 1:05, 2:03:45."""
    if seconds < 59.95:
        return f"{seconds:.0f} s" if isinstance(seconds, int) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _parts(progress: TrainingProgress) -> dict[str, str]:
    """The parts of a line in the order in which they are read."""
    steps = progress.steps_per_epoch
    done = (progress.epoch - 1) * steps + progress.step
    filled = _BAR_CELLS * done // (progress.epochs * steps)
    parts = {
        "bar": "━" * filled + "─" * (_BAR_CELLS - filled),
        "epoch": f"epoch {progress.epoch} of {progress.epochs}",
        "step": f"step {progress.step} of {steps}",
    }
    if progress.loss is not None:
        parts["loss"] = f"loss {progress.loss:.4f}"
    if progress.eval_loss is not None:
        parts["eval loss"] = f"eval loss {progress.eval_loss:.4f}"
    parts["speed"] = f"{progress.examples_per_second:,.0f} examples/s"
    if progress.seconds_left is not None:
        parts["left"] = f"ETA {clock(round(progress.seconds_left))}"
    return parts
