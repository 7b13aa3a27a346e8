"""What a terminal shows of a recorded run: taxi_events.jsonl is one of the sample of taxi trips."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pyte
import pytest
from rich.console import Console

from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    EventReader,
    PipelineStarted,
    TrainingProgress,
    TrainingResumed,
    WarmStarted,
    WorkersRestarted,
)
from pipeline.terminal.board import Board
from pipeline.terminal.display import Display
from pipeline.terminal.live_table import LiveTable
from pipeline.terminal.training_progress import format_progress, format_seconds

EVENTS = EventReader(Path(__file__).with_name("taxi_events.jsonl")).read()
PROGRESS = [e.event for e in EVENTS if isinstance(e.event, TrainingProgress)]
COMPONENTS = next(e.event.components for e in EVENTS if isinstance(e.event, PipelineStarted))
TRAINING = next(i for i, e in enumerate(EVENTS) if getattr(e.event, "epoch", None) == 2) + 1
ESCAPE = "\x1b"


def lines(events: list[Envelope], width: int, height: int = 50, now: float = 0) -> list[str]:
    """The table after some events, `now` seconds after the last one."""
    time = [0.0]
    board = Board(lambda: time[0])
    for event in events:
        board.update(event)
    time[0] = now
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True)
    with console.capture() as capture:
        console.print(LiveTable(board))
    return re.sub(r"\x1b\[[0-9;]*m", "", capture.get()).splitlines()


def show(events: list[Envelope], environment: dict[str, str], terminal: bool = True) -> str:
    """Everything a display wrote for a run."""
    file = io.StringIO()
    console = Console(
        file=file, force_terminal=terminal or None, width=80, height=24, _environ=environment
    )
    with Display(console) as display:
        for event in events:
            display.show(event)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def test_before_the_first_component_it_says_what_takes_so_long() -> None:
    assert lines([], 80, now=7.4) == ["loading TensorFlow ... 7 s"]


def test_all_components_are_there_from_the_start() -> None:
    shown = lines(EVENTS[:1], 80)
    assert [line.split()[:2] for line in shown[1:]] == [[name, "waiting"] for name in COMPONENTS]
    assert len(COMPONENTS) == 13


def test_the_seconds_of_the_running_component_tick() -> None:
    shown = [lines(EVENTS[:2], 80, now=now)[1].split() for now in (0, 12.7, 65, 3725)]
    times = [["0", "s"], ["12", "s"], ["1:05"], ["1:02:05"]]
    assert shown == [["ExampleGen", "running", *time] for time in times]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("count", [1, 2, TRAINING, len(EVENTS)])
def test_no_width_wraps_a_line(width: int, count: int) -> None:
    shown = lines(EVENTS[:count], width)
    assert all(len(line) <= width and line == line.rstrip() for line in shown)
    assert [line.split()[0] for line in shown[1 : len(COMPONENTS) + 1]] == list(COMPONENTS)
    assert len(shown) <= len(COMPONENTS) + 2


def test_narrow_terminals_drop_what_matters_least() -> None:
    def first(width: int) -> str:
        return " ".join(lines(EVENTS, width)[1].split())

    assert first(80) == "ExampleGen done 0.8 s 12,006 train, 1,468 eval, 1,526 test"
    assert first(60) == "ExampleGen done 0.8 s 15,000"
    assert first(40) == "ExampleGen done 0.8 s"
    assert first(30) == "ExampleGen done"


def test_training_shows_as_much_as_fits() -> None:
    progress = next(event for event in PROGRESS if event.epoch == 2)
    parts = ("epoch 2 of 12", "ETA 6 s", "loss 0.4196", "step 32 of 47", "217,006 examples/s")
    whole = format_progress(progress)
    assert all(part in whole for part in parts)
    for width in range(120):
        line = format_progress(progress, width)
        assert len(line) <= width
        # A part is shown only with all that matter more.
        shown = [part in line for part in parts]
        assert shown == sorted(shown, reverse=True)
    row = next(line for line in lines(EVENTS[:TRAINING], 200) if line.startswith("Trainer"))
    assert "ETA 6 s" in row
    assert "eval loss 0.4510" in row, "that of the epoch before stays"
    assert lines(EVENTS[:TRAINING], 40)[-1] == "epoch 2 of 12  loss 0.4196  ETA 6 s"


def test_on_a_low_screen_the_running_component_is_seen() -> None:
    for count in range(2, len(EVENTS)):
        running = [e.event.name for e in EVENTS[:count] if isinstance(e.event, ComponentChanged)][
            -1
        ]
        shown = lines(EVENTS[:count], 80, height=10)
        assert len(shown) < 10
        assert any(line.startswith(running) for line in shown)


def test_the_table_stays_once_when_the_run_has_ended() -> None:
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(show(EVENTS, {"TERM": "xterm"}).replace("\n", "\r\n"))
    shown = [line.rstrip() for line in screen.display]
    assert shown[0].split() == ["component", "state", "time", "rows"]
    assert [line.split()[:2] for line in shown[1:14]] == [[name, "done"] for name in COMPONENTS]
    assert set(shown[14:]) == {""}
    assert "loss" in shown[1 + COMPONENTS.index("Trainer")]


def test_a_run_that_died_leaves_nothing_running() -> None:
    died = EVENTS[: EVENTS.index(Envelope(ComponentChanged("Transform", "running"))) + 1]
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(show(died, {"TERM": "xterm"}).replace("\n", "\r\n"))
    states = [re.split(" {2,}", line)[1] for line in screen.display[1:14]]
    assert [s.strip() for s in states] == ["done"] * 8 + ["stopped"] + ["not run"] * 4


@pytest.mark.parametrize(
    ("environment", "in_ci", "terminal"),
    [
        ({"TERM": "xterm"}, "true", True),
        ({"TERM": "dumb"}, "", True),
        ({"TERM": "xterm"}, "", False),
    ],
)
def test_elsewhere_each_component_prints_one_line(
    environment: dict[str, str], in_ci: str, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", in_ci)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", show(EVENTS, environment, terminal))
    assert ESCAPE not in plain
    found = re.findall(r"^(\w+) +done +[\d.]+ s", plain, re.MULTILINE)
    assert found == list(COMPONENTS)
    assert "\n  epoch 6 of 12, step 47 of 47, loss 0." in plain
    assert ("\x1b" in show(EVENTS, environment, terminal)) == (in_ci == "true")


def test_no_color_is_obeyed() -> None:
    colours = r"\x1b\[[0-9;]*3[0-7][0-9;]*m"
    assert re.search(colours, show(EVENTS, {"TERM": "xterm"}))
    assert not re.search(colours, show(EVENTS, {"TERM": "xterm", "NO_COLOR": "1"}))


def test_of_many_epochs_a_log_gets_a_few_lines() -> None:
    last = next(event for event in PROGRESS if event.eval_loss)
    epochs = (replace(last, epoch=epoch, epochs=1000) for epoch in range(1, 1001))
    events = list(map(Envelope, epochs))
    shown = show(events, {}, terminal=False).splitlines()
    assert len(shown) == 21
    assert "epoch 1 of 1000" in shown[0]
    assert "epoch 1000 of 1000" in shown[-1]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_note_can_neither_move_the_cursor_nor_set_colours(terminal: bool) -> None:
    note = "value '\x1b[2J\x9b31m[red]\r\nExampleGen done\u202e' was left out"
    component = ComponentChanged("ExampleGen", "complete", seconds=1.0, note=note)
    shown = show([Envelope(component)], {"TERM": "xterm"}, terminal)
    assert "\x1b[2J" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert r"\x1b[2J\x9b31m[red]\r\nExampleGen done\u202e" in shown.replace("\n", "").replace(
        "  ", " "
    )


def test_times_read_as_on_a_stop_watch() -> None:
    shown = [format_seconds(seconds) for seconds in (0.04, 4.9, 59.94, 59.96, 65, 3599.9, 7425)]
    assert shown == ["0.0 s", "4.9 s", "59.9 s", "1:00", "1:05", "1:00:00", "2:03:45"]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_resumed_training_says_so(terminal: bool) -> None:
    resumed = Envelope(TrainingResumed(epoch=4, step=0))
    shown = show([*EVENTS[:TRAINING], resumed, *EVENTS[TRAINING:]], {"NO_COLOR": "1"}, terminal)
    assert "Trainer goes on after epoch 4, from its backup" in shown


@pytest.mark.parametrize("terminal", [True, False])
def test_lost_workers_and_a_warm_start_are_shown(terminal: bool) -> None:
    lost = Envelope(WorkersRestarted("worker 1 is lost", seconds=1))
    start = Envelope(WarmStarted(served_weights=6, weights=19))
    events = [*EVENTS[:TRAINING], start, lost, *EVENTS[TRAINING:]]
    shown = show(events, {"NO_COLOR": "1"}, terminal)
    assert "Trainer starts from 6 of its 19 weights in the served model" in shown
    assert "Trainer: worker 1 is lost; all workers start again in 1 s" in shown
