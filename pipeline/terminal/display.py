"""Shows a run on the console while it runs.

A terminal shows a table of all components with ticking seconds. Elsewhere (a pipe, CI, a terminal
that cannot move its cursor) the display prints one line for each component that has ended.
"""

from __future__ import annotations

import os
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pipeline.core.events import (
    BatchesPlanned,
    ComponentChanged,
    Envelope,
    Event,
    JobStarted,
    OtherBackupFound,
    PartFailed,
    PartStarted,
    PartsWeighed,
    SearchResumed,
    SettingsUnread,
    TrainingEnded,
    TrainingProgress,
    TrainingResumed,
    TrialChanged,
    WarmStarted,
    WarmupTooLong,
    WorkersExposed,
    WorkersRestarted,
)
from pipeline.core.text import printable
from pipeline.terminal.board import Board
from pipeline.terminal.live_table import STATES, LiveTable
from pipeline.terminal.training_progress import (
    describe_batches,
    describe_failed_part,
    describe_long_warmup,
    describe_other_backup,
    describe_part,
    describe_progress,
    describe_restart,
    describe_resumption,
    describe_training_end,
    describe_unread,
    describe_warm_start,
    describe_weights,
)
from pipeline.terminal.tuning_progress import describe_search_resumption, describe_trial

_INTERRUPTING = "interrupted; shutting down ..."
_MOST_EPOCH_LINES = 20
"""Lines about the epochs of one training in a log; of more epochs, every n-th has a line."""


class Display:
    """Shows the events of a run on a console, from its `with` statement on."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._board = Board()
        self._table = LiveTable(self._board)
        self._live: Live | None = None

    def __enter__(self) -> Display:
        if self.console.is_interactive and not _in_ci():
            self._board = Board()
            self._table = LiveTable(self._board)
            self._live = Live(
                self._table,
                console=self.console,
                transient=True,
                refresh_per_second=4,
                vertical_overflow="crop",
            )
            self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Prints the final table once, and below it the notes of the components."""
        if self._live is None:
            return
        self._live.stop()
        self._table.final = True
        self._table.message = ""
        self.console.print(self._table)
        for component in self._board.components.values():
            if component.note:
                note = f"{component.name}: {printable(component.note)}"
                self.console.print(Text(note, style="yellow"))
        self.console.print()

    def show(self, envelope: Envelope) -> None:
        """Shows one event."""
        self._board.update(envelope)
        if envelope.trial is not None:
            # The board keeps what the display shows of a trial's training.
            return
        if sentence := _sentence_for_all(envelope.event):
            # Where no table is, a program may look for the sentence in the lines.
            self.console.print(Text(printable(sentence)), soft_wrap=self._live is None)
        if self._live is None:
            self._print(envelope.event)

    def show_interruption(self) -> None:
        """Shows that the run is shutting down, which takes some seconds."""
        self._table.message = _INTERRUPTING
        if self._live is None:
            self.console.print(_INTERRUPTING)

    def _print(self, event: Event) -> None:
        """Prints the line of an event where no table shows it."""
        match event:
            case ComponentChanged() if event.state != "running":
                self.console.print(_component_line(event), soft_wrap=True)
            case BatchesPlanned() if sentence := describe_batches(event):
                self.console.print(f"  {sentence}", soft_wrap=True)
            case TrialChanged() if event.status != "running":
                self.console.print(Text(f"  {printable(describe_trial(event))}"), soft_wrap=True)
            case TrainingProgress() if _is_worth_a_line(event):
                self.console.print(f"  {describe_progress(event)}", soft_wrap=True)
            case TrainingEnded():
                self.console.print(f"  {describe_training_end(event)}", soft_wrap=True)
            case PartStarted():
                self.console.print(f"  {describe_part(event)}", soft_wrap=True)


def _sentence_for_all(event: Event) -> str:
    """Returns the sentence that a terminal shows too, above its table; empty for most events."""
    match event:
        case SearchResumed():
            return describe_search_resumption(event)
        case TrainingResumed():
            return describe_resumption(event)
        case OtherBackupFound():
            return f"Trainer {describe_other_backup(event)}"
        case JobStarted() if event.page:
            return f"Job {event.name} runs on {event.engine}: {event.page}"
        case WorkersRestarted():
            return f"Trainer: {describe_restart(event)}"
        case WorkersExposed():
            return f"Trainer: {event.sentence}"
        case WarmStarted():
            return f"Trainer {describe_warm_start(event)}"
        case SettingsUnread():
            return f"Trainer {describe_unread(event)}"
        case WarmupTooLong():
            return f"Trainer {describe_long_warmup(event)}"
        case PartFailed():
            return f"Trainer {describe_failed_part(event)}"
        case PartsWeighed():
            return f"Trainer {describe_weights(event)}"
    return ""


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _is_worth_a_line(event: TrainingProgress) -> bool:
    """Whether an epoch has ended, and, of many epochs, whether it is one that a log shows."""
    has_ended = event.step >= event.steps_per_epoch and event.eval_loss is not None
    stride = -(-event.epochs // _MOST_EPOCH_LINES)
    return has_ended and (event.epoch % stride == 0 or event.epoch in (1, event.epochs))


def _component_line(event: ComponentChanged) -> Text:
    word, style = STATES[event.state]
    line = Text(f"{event.name:<18}")
    line.append(f"{word:<7}", style=style)
    line.append(f"{event.seconds or 0.0:>7.1f} s")
    if event.rows:
        rows = ", ".join(f"{count:,} {split}" for split, count in event.rows.items())
        line.append(f"   rows: {rows}")
    if event.note:
        line.append(f"\n  {printable(event.note)}", style="yellow")
    return line
