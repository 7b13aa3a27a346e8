"""What the terminal says of a search, while it is at work and when it has ended."""

import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pipeline.config import load_config
from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    PipelineStarted,
    SearchResults,
    TrainingProgress,
    TrainingResumed,
    TrialChanged,
    TrialResult,
)
from pipeline.terminal.board import Board
from pipeline.terminal.display import Display
from pipeline.terminal.live_table import LiveTable
from pipeline.terminal.tuning_report import print_best_values, print_tuning

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"
VALUES = [
    {"model.hidden_units": [64], "training.learning_rate": 0.0004388, "model.family": "dnn"},
    {"model.hidden_units": [16, 8], "training.learning_rate": 1e-05, "model.family": "linear"},
]
VALUES[1]["model.options.text"] = VALUES[0]["model.options.text"] = "no, {1}"


def trial(name: str, status: str, **fields: Any) -> Envelope:
    row = {"trial": name, "status": status, "values": VALUES[int(name) - 1], "runs": 1}
    return Envelope(TrialChanged(**row, trials=3, **fields))


def progress(epoch: int) -> TrainingProgress:
    where = {"epoch": epoch, "epochs": 20, "step": 9, "steps_per_epoch": 9}
    return TrainingProgress(**where, loss=0.5, eval_loss=0.4, examples_per_second=10.0)


EVENTS = [
    Envelope(PipelineStarted(("Transform", "Tuner", "Trainer"))),
    Envelope(ComponentChanged("Transform", "cached", seconds=0.1)),
    Envelope(ComponentChanged("Tuner", "running")),
    trial("1", "running", ended=0, best=None),
    trial("2", "running", ended=0, best=None),
    Envelope(progress(7), trial="1"),
    Envelope(progress(3), trial="2"),
    Envelope(TrainingResumed(epoch=3, step=0), trial="2"),
    trial("2", "lost", ended=0, best=None, message="its process was killed by signal 9"),
    trial("1", "done", ended=1, best=0.41, objective=0.41),
]


def row_of_tuner(events: list[Envelope], width: int = 110) -> str:
    board = Board(lambda: 0.0)
    for event in events:
        board.update(event)
    console = Console(width=width, height=50, file=io.StringIO(), force_terminal=True)
    with console.capture() as capture:
        console.print(LiveTable(board))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capture.get()).splitlines()
    return next(line for line in lines if line.startswith("Tuner"))


def test_the_live_table_shows_the_trials_at_work() -> None:
    assert "0 of 3 trials done  trial 1: starting  trial 2: starting" in row_of_tuner(EVENTS[:5])
    shown = row_of_tuner(EVENTS[:8])
    assert "0 of 3 trials done  trial 1: epoch 7 of 20  trial 2: epoch 3 of 20" in shown
    assert row_of_tuner(EVENTS[:9]).endswith("0 of 3 trials done  trial 1: epoch 7 of 20")
    assert row_of_tuner(EVENTS).endswith("1 of 3 trials done  best 0.4100")


def test_a_narrow_one_shows_as_much_as_fits() -> None:
    for width in range(40, 120):
        line = row_of_tuner(EVENTS[:8], width)
        assert len(line) <= width
    assert row_of_tuner(EVENTS[:8], 60).endswith("0 of 3 trials done")


def test_a_trial_is_no_training_of_the_trainer() -> None:
    board = Board(lambda: 0.0)
    for event in EVENTS:
        board.update(event)
    assert board.progress is None
    board.update(Envelope(ComponentChanged("Trainer", "running")))
    board.update(Envelope(progress(2)))
    assert board.progress == progress(2)


def test_a_log_gets_a_line_for_each_trial_that_ended() -> None:
    file = io.StringIO()
    with Display(Console(file=file, width=200)) as display:
        for event in EVENTS:
            display.show(event)
    values = "model.hidden_units [16, 8], training.learning_rate 1e-05, model.family linear"
    first, second = file.getvalue().splitlines()[1:]
    assert first.startswith(f"  trial 2 of 3: lost, its process was killed by signal 9; {values}, ")
    assert second.startswith("  trial 1 of 3: 0.4100, the best so far 0.4100; model.hidden_units")


TUNING = SearchResults(
    objective="eval_auc",
    trials=(
        TrialResult("1", VALUES[0], "failed", message="training diverged", seconds=2.0),
        TrialResult("2", VALUES[1], "done", 0.9, {"epochs": 5, "steps": 1200}, seconds=61.0),
    ),
    best="2",
    search="search-1",
    best_values=VALUES[1],
)


def printed(function: Any) -> str:
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as capture:
        function(TUNING, console)
    return capture.get()


def test_the_table_has_a_row_for_each_trial() -> None:
    header, failed, best, _ = (
        re.split(r" {2,}", line.strip()) for line in printed(print_tuning).splitlines()
    )
    assert header[:5] == ["trial", "hidden_units", "learning_rate", "family", "text"]
    assert header[5:] == ["eval auc", "epochs", "steps", "time"]
    assert failed[0] == "1"
    assert failed[-1] == "failed"
    assert best == [
        "2", "[16, 8]", "1e-05", "linear", '"no, {1}"', "0.9000", "5", "1,200", "1:01", "best",
    ]  # fmt: skip


def test_what_became_of_a_trial_takes_no_width_from_the_table() -> None:
    assert printed(print_tuning).splitlines()[-1] == "trial 1, failed: training diverged"


@pytest.mark.parametrize("form", ["command line", "file"])
def test_the_best_values_can_be_copied(form: str, tmp_path: Path) -> None:
    lines = printed(print_best_values).splitlines()
    divide = next(i for i, line in enumerate(lines) if line.startswith("or in a file"))
    if form == "command line":
        words = shlex.split(lines[1])
        assert set(words[::2]) == {"--set"}
        config = load_config([TAXI], words[1::2])
    else:
        path = tmp_path / "best.yaml"
        path.write_text("\n".join(line.removeprefix("  ") for line in lines[divide + 1 :]))
        config = load_config([TAXI, path])
    assert config == load_config([TAXI]).with_values(VALUES[1])
