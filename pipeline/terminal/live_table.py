"""The table of components on a terminal of any size."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from pipeline.core.contracts import Node
from pipeline.core.events import JobProgressed, JobStarted, TrainingProgress
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
_NAME_WIDTH, _STATE_WIDTH, _TIME_WIDTH = 18, 9, 8
"""Characters; the longest name is ExampleValidator, the longest time 12:34:56."""
_NARROWEST_DETAIL = 16
"""Characters that the detail needs. With less room, the table has no column for details, and the
progress of the training is a line below the table."""
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
            yield from self._lines(width, height)
        if self.message:
            yield _cut(Text(self.message, "yellow"), width)

    def _lines(self, width: int, height: int | None) -> RenderResult:
        components = list(self._board.components.values())
        first, last = _window(components, height)
        if components:
            yield _cut(_header_line(width), width)
        if first:
            yield _cut(Text(f"... {first} more above", "dim"), width)
        for component in components[first:last]:
            yield _cut(self._component_line(component, width), width)
        if last < len(components):
            yield _cut(Text(f"... {len(components) - last} more below", "dim"), width)
        no_room = _room_for_detail(width) < _NARROWEST_DETAIL
        if no_room and self._board.progress and self._is_training() and not self.final:
            yield _cut(Text(format_progress(self._board.progress, width)), width)

    def _component_line(self, component: Component, width: int) -> Text:
        word, style = (_FINAL_STATES if self.final else STATES)[component.state]
        running = component.state == "running" and not self.final
        seconds = int(self._board.elapsed()) if running else component.seconds
        time = "" if seconds is None else format_seconds(seconds)
        detail = Text(self._detail(component, _room_for_detail(width)))
        name_style = "dim" if component.state == "waiting" else ""
        return _format_line(component.name, Text(word, style), time, detail, width, name_style)

    def _detail(self, component: Component, width: int) -> str:
        if component.name == Node.TUNER and component.state != "cached":
            return self._board.trials.format(width)
        if self._board.progress and component.name == TrainingProgress.component:
            show = format_progress if component.state == "running" else format_result
            return show(self._board.progress, width)
        if self._board.job and component.state == "running":
            return _describe_job(self._board.job, self._board.job_progress)
        if not component.rows:
            return ""
        splits = ", ".join(f"{count:,} {split}" for split, count in component.rows.items())
        return splits if len(splits) <= width else f"{sum(component.rows.values()):,}"

    def _is_training(self) -> bool:
        trainer = self._board.components.get(TrainingProgress.component or "")
        return trainer is not None and trainer.state == "running"


def _describe_job(job: JobStarted, progress: JobProgressed | None) -> str:
    tasks = f": {progress.finished} of {progress.tasks} tasks" if progress else ""
    return f"on {job.engine}{tasks}, job {job.name}"


def _header_line(width: int) -> Text:
    return _format_line("component", Text("state"), "time", Text("rows"), width, "dim")


def _format_line(name: str, state: Text, time: str, detail: Text, width: int, style: str) -> Text:
    """Returns one line; a narrow terminal gets no detail, a still narrower one no time."""
    row = Text(f"{name:<{_NAME_WIDTH}}", style)
    state.pad_right(_STATE_WIDTH - len(state))
    row.append_text(state)
    if width >= _NAME_WIDTH + _STATE_WIDTH + _TIME_WIDTH:
        row.append(f"{time:>{_TIME_WIDTH}}")
    if _room_for_detail(width) >= _NARROWEST_DETAIL:
        row.append("  ").append_text(detail)
    row.rstrip()
    return row


def _room_for_detail(width: int) -> int:
    return width - _NAME_WIDTH - _STATE_WIDTH - _TIME_WIDTH - 2


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
