import io

import pytest
from rich.console import Console

from pipeline.terminal import prediction_progress
from pipeline.terminal.prediction_progress import PredictionProgress


def test_a_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(prediction_progress.time, "monotonic", lambda: now[0])
    text = io.StringIO()
    with PredictionProgress(Console(file=text, highlight=False)) as progress:
        for second in range(12):
            now[0] = 100.0 + second
            progress.show(1000 * second, 1)
    assert text.getvalue() == "10,000 rows, 1,000 rows/s, 1 bad row\n"


def test_a_terminal_shows_the_last_numbers() -> None:
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=80, highlight=False)
    with PredictionProgress(console) as progress:
        progress.show(1234, 0)
    assert "1,234 rows" in text.getvalue()
