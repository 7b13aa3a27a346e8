"""What the terminal shows while a run is at work: a line a component, and training's progress.

On a terminal the line of the running component moves; elsewhere (a pipe, CI) each component
prints one line when it has ended.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

_MARKS = {
    "complete": ("done", "green"),
    "cached": ("cached", "cyan"),
    "failed": ("failed", "red"),
    "interrupted": ("stopped", "yellow"),
}


class Display:
    """Renders the events of a run on a console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live = Live(console=console, transient=True, refresh_per_second=8)
        self._shown_epoch = 0

    def __enter__(self) -> Display:
        if self.console.is_terminal:
            self._live.start()
            self._live.update(Text("starting TensorFlow ..."))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def show(self, event: dict[str, Any]) -> None:
        """Shows one event."""
        if event["event"] == "component" and event["state"] == "running":
            self._now(f"{event['name']} ...")
        elif event["event"] == "component":
            self.console.print(_component_line(event), soft_wrap=True)
            self._now("")
        elif event["event"] == "progress":
            self._progress(event)

    def interrupting(self) -> None:
        self.console.print("interrupted; ending in order ...")

    def _progress(self, event: dict[str, Any]) -> None:
        line = _progress_line(event)
        self._now(f"Trainer: {line}")
        ended = event["step"] >= event["steps_per_epoch"] and event.get("eval_loss") is not None
        if not self.console.is_terminal and ended and event["epoch"] > self._shown_epoch:
            self._shown_epoch = event["epoch"]
            self.console.print(f"  {line}", soft_wrap=True)

    def _now(self, line: str) -> None:
        if self.console.is_terminal:
            self._live.update(Text(line, style="dim"))


def _component_line(event: dict[str, Any]) -> Text:
    word, style = _MARKS[event["state"]]
    line = Text(f"{event['name']:<18}")
    line.append(f"{word:<7}", style=style)
    line.append(f"{event['seconds']:>7.1f} s")
    if event.get("rows"):
        rows = ", ".join(f"{count:,} {split}" for split, count in event["rows"].items())
        line.append(f"   rows: {rows}")
    if event.get("note"):
        line.append(f"\n  {event['note']}", style="yellow")
    return line


def _progress_line(event: dict[str, Any]) -> str:
    line = (
        f"epoch {event['epoch']} of {event['epochs']}, "
        f"step {event['step']} of {event['steps_per_epoch']}, loss {event['loss']:.4f}"
    )
    if event.get("eval_loss") is not None:
        line += f", eval loss {event['eval_loss']:.4f}"
    return line + f", {event['examples_per_second']:,.0f} examples/s"
