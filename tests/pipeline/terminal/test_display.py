"""A display shows the events of a run, as a table on a terminal and as lines elsewhere."""

import io
import re
from dataclasses import replace

import pyte
import pytest
from recorded_run import COMPONENTS, EVENTS, PROGRESS, UNTIL_EPOCH_2
from rich.console import Console

from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    JobStarted,
    TrainingResumed,
    WarmStarted,
    WorkersExposed,
    WorkersRestarted,
)
from pipeline.terminal.display import Display

ESCAPE = "\x1b"


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


def test_the_final_table_is_printed_once() -> None:
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(show(EVENTS, {"TERM": "xterm"}).replace("\n", "\r\n"))
    shown = [line.rstrip() for line in screen.display]
    assert shown[0].split() == ["component", "state", "time", "rows"]
    assert [line.split()[:2] for line in shown[1:14]] == [[name, "done"] for name in COMPONENTS]
    assert set(shown[14:]) == {""}
    assert "loss" in shown[1 + COMPONENTS.index("Trainer")]


def test_the_table_of_a_run_that_died_has_no_running_component() -> None:
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
def test_without_a_terminal_each_component_prints_one_line(
    environment: dict[str, str], in_ci: str, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", in_ci)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", show(EVENTS, environment, terminal))
    assert ESCAPE not in plain
    found = re.findall(r"^(\w+) +done +[\d.]+ s", plain, re.MULTILINE)
    assert found == list(COMPONENTS)
    assert "\n  epoch 6 of 12, step 47 of 47, loss 0." in plain
    assert ("\x1b" in show(EVENTS, environment, terminal)) == (in_ci == "true")


def test_no_color_turns_colours_off() -> None:
    colours = r"\x1b\[[0-9;]*3[0-7][0-9;]*m"
    assert re.search(colours, show(EVENTS, {"TERM": "xterm"}))
    assert not re.search(colours, show(EVENTS, {"TERM": "xterm", "NO_COLOR": "1"}))


def test_a_log_has_twenty_lines_about_a_thousand_epochs() -> None:
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


@pytest.mark.parametrize("terminal", [True, False])
def test_the_page_of_a_job_is_printed(terminal: bool) -> None:
    job = Envelope(JobStarted("flink", "taxi-transform-1", "http://localhost:8081/#/job/a"))
    running = Envelope(ComponentChanged("Transform", "running"))
    shown = show([running, job], {"NO_COLOR": "1"}, terminal)
    line = "Job taxi-transform-1 runs on flink: http://localhost:8081/#/job/a"
    assert line in " ".join(shown.split())


def test_in_a_pipe_a_long_sentence_is_one_line() -> None:
    job = Envelope(JobStarted("flink", "taxi-transform-1", f"http://{'far-away.' * 20}example"))
    assert f" runs on flink: {job.event.page}\n" in show([job], {"NO_COLOR": "1"}, terminal=False)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_resumed_training_is_shown(terminal: bool) -> None:
    resumed = Envelope(TrainingResumed(epoch=4, step=0))
    shown = show(
        [*EVENTS[:UNTIL_EPOCH_2], resumed, *EVENTS[UNTIL_EPOCH_2:]], {"NO_COLOR": "1"}, terminal
    )
    assert "Trainer goes on after epoch 4, from its backup" in shown


@pytest.mark.parametrize("terminal", [True, False])
def test_lost_workers_and_a_warm_start_are_shown(terminal: bool) -> None:
    lost = Envelope(WorkersRestarted("worker 1 is lost", seconds=1))
    start = Envelope(WarmStarted(served_weights=6, weights=19))
    exposed = Envelope(WorkersExposed(ports=[40001], reason="no rights"))
    events = [*EVENTS[:UNTIL_EPOCH_2], start, lost, exposed, *EVENTS[UNTIL_EPOCH_2:]]
    shown = show(events, {"NO_COLOR": "1"}, terminal)
    assert "Trainer starts from 6 of its 19 weights in the served model" in shown
    assert "Trainer: worker 1 is lost; all workers start again in 1 s" in shown
    assert "Trainer: Whoever reaches TCP ports 40001 of this machine" in " ".join(shown.split())
