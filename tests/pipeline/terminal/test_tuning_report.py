"""The report on a finished search."""

import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pipeline.config import load_config
from pipeline.core.events import SearchResults, TrialResult
from pipeline.terminal.tuning_report import print_best_values, print_tuning

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"
VALUES = [
    {"model.hidden_units": [64], "training.learning_rate": 0.0004388, "model.family": "dnn"},
    {"model.hidden_units": [16, 8], "training.learning_rate": 1e-05, "model.family": "linear"},
]
VALUES[1]["model.options.text"] = VALUES[0]["model.options.text"] = "no, {1}"
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


def test_the_message_of_a_failed_trial_stands_below_the_table() -> None:
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
