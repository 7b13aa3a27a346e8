"""The table of components on a terminal of any size."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from pipeline.core.contracts import Node
from pipeline.core.events import TrainingProgress
from pipeline.terminal.board import Board
from pipeline.terminal.summary import Component
from pipeline.terminal.training_progress import format_progress, format_result, format_seconds

# The word and the style of each state.
STATES = {
    "waiting": ("waiting", "dim"),
    "running": ("running", "bold blue"),
    "complete": ("done", "green"),
    "cached": ("cached", "cyan"),
    "failed": ("failed", "bold red"),
    "interrupted": ("stopped", "yellow"),
}
# When the run has stopped, no process works on its waiting and running components any more.
_FINAL_STATES = STATES | {"waiting": ("not run", "dim"), "running": STATES["interrupted"]}
_NAME, _STATE, _TIME = 18, 9, 8
"""Columns; the longest name is ExampleValidator, the longest time 12:34:56."""
_FEWEST_DETAIL = 16
"""Columns that the last column needs; a narrower terminal shows training below the table."""
_HEADER_AND_MARKS = 4
"""Lines of the header, of the two marks "... more" and of the message below the table."""


class LiveTable:
    """Renders the board; each rendering reads the clock again, so the seconds tick."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.message = ""
        self.final = False
        """Whether the run has ended; the final table may be higher than the screen."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        if not self._board.components and not self.final:
            yield _cut(Text(f"loading TensorFlow ... {self._board.elapsed():.0f} s", "dim"), width)
        else:
            height = None if self.final else options.size.height
            yield from self._rows(width, height)
        if self.message:
            yield _cut(Text(self.message, "yellow"), width)

    def _rows(self, width: int, height: int | None) -> RenderResult:
        components = list(self._board.components.values())
        first, last = _window(components, height)
        if components:
            yield _cut(_row("component", Text("state"), "time", Text("rows"), width, "dim"), width)
        if first:
            yield _cut(Text(f"... {first} more above", "dim"), width)
        for component in components[first:last]:
            yield _cut(self._row(component, width), width)
        if last < len(components):
            yield _cut(Text(f"... {len(components) - last} more below", "dim"), width)
        no_room = _room_for_detail(width) < _FEWEST_DETAIL
        if no_room and self._board.progress and self._is_training() and not self.final:
            yield _cut(Text(format_progress(self._board.progress, width)), width)

    def _row(self, component: Component, width: int) -> Text:
        word, style = (_FINAL_STATES if self.final else STATES)[component.state]
        running = component.state == "running" and not self.final
        seconds = int(self._board.elapsed()) if running else component.seconds
        time = "" if seconds is None else format_seconds(seconds)
        detail = Text(self._detail(component, _room_for_detail(width)))
        name_style = "dim" if component.state == "waiting" else ""
        return _row(component.name, Text(word, style), time, detail, width, name_style)

    def _detail(self, component: Component, width: int) -> str:
        if component.name == Node.TUNER and component.state != "cached":
            return self._board.trials.format(width)
        if self._board.progress and component.name == TrainingProgress.component:
            show = format_progress if component.state == "running" else format_result
            return show(self._board.progress, width)
        if not component.rows:
            return ""
        splits = ", ".join(f"{count:,} {split}" for split, count in component.rows.items())
        return splits if len(splits) <= width else f"{sum(component.rows.values()):,}"

    def _is_training(self) -> bool:
        trainer = self._board.components.get(TrainingProgress.component or "")
        return trainer is not None and trainer.state == "running"


def _row(name: str, state: Text, time: str, detail: Text, width: int, style: str) -> Text:
    """Returns one line; a narrow terminal loses the detail first, then the time."""
    row = Text(f"{name:<{_NAME}}", style)
    state.pad_right(_STATE - len(state))
    row.append_text(state)
    if width >= _NAME + _STATE + _TIME:
        row.append(f"{time:>{_TIME}}")
    if _room_for_detail(width) >= _FEWEST_DETAIL:
        row.append("  ").append_text(detail)
    row.rstrip()
    return row


def _room_for_detail(width: int) -> int:
    return width - _NAME - _STATE - _TIME - 2


def _window(components: Sequence[Component], height: int | None) -> tuple[int, int]:
    """Returns the first and the last (exclusive) component to show, around the running one."""
    count = len(components)
    room = count if height is None else max(1, height - _HEADER_AND_MARKS)
    if count <= room:
        return 0, count
    started = [i for i, c in enumerate(components) if c.state != "waiting"]
    current = started[-1] if started else 0
    first = min(max(0, current - room // 2), count - room)
    return first, first + room


def _cut(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    return line
