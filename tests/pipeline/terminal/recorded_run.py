"""The events of a recorded run of the taxi sample, and the table that a terminal shows."""

import io
import re
from pathlib import Path

from rich.console import Console

from pipeline.core.events import Envelope, EventReader, PipelineStarted, TrainingProgress
from pipeline.terminal.board import Board
from pipeline.terminal.live_table import LiveTable

EVENTS = EventReader(Path(__file__).with_name("taxi_events.jsonl")).read()
PROGRESS = [e.event for e in EVENTS if isinstance(e.event, TrainingProgress)]
COMPONENTS = next(e.event.components for e in EVENTS if isinstance(e.event, PipelineStarted))
UNTIL_EPOCH_2 = next(i for i, e in enumerate(EVENTS) if getattr(e.event, "epoch", None) == 2) + 1
"""The number of events until the first one of the second epoch."""


def render_table(events: list[Envelope], width: int, height: int = 50, now: float = 0) -> list[str]:
    """The lines of the table, `now` seconds after the last event."""
    time = [0.0]
    board = Board(lambda: time[0])
    for event in events:
        board.update(event)
    time[0] = now
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True)
    with console.capture() as capture:
        console.print(LiveTable(board))
    return re.sub(r"\x1b\[[0-9;]*m", "", capture.get()).splitlines()
