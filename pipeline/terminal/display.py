"""What the terminal shows while a run is at work.

On a terminal that is a table of all components, of which the seconds tick; elsewhere (a pipe, CI,
a terminal that cannot move its cursor) each component prints one line when it has ended.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pipeline.core.text import printable
from pipeline.terminal.board import Board
from pipeline.terminal.live_table import STATES, LiveTable
from pipeline.terminal.training_progress import (
    batches_sentence,
    progress_sentence,
    restart_sentence,
    resumed_sentence,
    trained_sentence,
    warm_start_sentence,
    warmup_sentence,
)
from pipeline.terminal.tuning_progress import search_resumed_sentence, trial_sentence

_INTERRUPTING = "interrupted; ending in order ..."
_MOST_EPOCH_LINES = 20


class Display:
    """Renders the events of a run on a console."""

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
        """Leaves the table as it stands at the end, once and with its notes."""
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

    def show(self, event: dict[str, Any]) -> None:
        """Shows one event."""
        self._board.take(event)
        if "trial" in event and event["event"] != "trial":
            # What a trial says of its training: the board keeps what is to be shown of it.
            return
        if sentence := _sentence_for_all(event):
            self.console.print(Text(printable(sentence)))
        if self._live is None:
            self._print(event)

    def interrupting(self) -> None:
        """Says that the interruption was heard: to end in order takes some seconds."""
        self._table.message = _INTERRUPTING
        if self._live is None:
            self.console.print(_INTERRUPTING)

    def _print(self, event: dict[str, Any]) -> None:
        if event["event"] == "component" and event["state"] != "running":
            self.console.print(_component_line(event), soft_wrap=True)
        elif event["event"] == "batches" and (sentence := batches_sentence(event)):
            self.console.print(f"  {sentence}", soft_wrap=True)
        elif event["event"] == "trial" and event["status"] != "running":
            self.console.print(Text(f"  {printable(trial_sentence(event))}"), soft_wrap=True)
        elif event["event"] == "progress" and _worth_a_line(event):
            self.console.print(f"  {progress_sentence(event)}", soft_wrap=True)
        elif event["event"] == "trained":
            self.console.print(f"  {trained_sentence(event)}", soft_wrap=True)


def _sentence_for_all(event: dict[str, Any]) -> str:
    """What is told on a terminal too, above its table; nothing for most events."""
    if event["event"] == "resumed":
        of_search = event["component"] == "Tuner"
        return search_resumed_sentence(event) if of_search else resumed_sentence(event)
    if event["event"] == "restart":
        return f"Trainer: {restart_sentence(event)}"
    if event["event"] == "warm_start":
        return f"Trainer {warm_start_sentence(event)}"
    if event["event"] == "warmup":
        return f"Trainer {warmup_sentence(event)}"
    return ""


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _worth_a_line(event: dict[str, Any]) -> bool:
    """Only ends of epochs, and of many epochs not all."""
    ended = event["step"] >= event["steps_per_epoch"] and event.get("eval_loss") is not None
    stride = -(-event["epochs"] // _MOST_EPOCH_LINES)
    return ended and (event["epoch"] % stride == 0 or event["epoch"] in (1, event["epochs"]))


def _component_line(event: dict[str, Any]) -> Text:
    word, style = STATES[event["state"]]
    line = Text(f"{event['name']:<18}")
    line.append(f"{word:<7}", style=style)
    line.append(f"{event['seconds']:>7.1f} s")
    if event.get("rows"):
        rows = ", ".join(f"{count:,} {split}" for split, count in event["rows"].items())
        line.append(f"   rows: {rows}")
    if event.get("note"):
        line.append(f"\n  {printable(event['note'])}", style="yellow")
    return line
