"""Every way in which a run can end has a word, an exit code and a colour."""

import json
from pathlib import Path

import pytest
from rich.style import Style

from pipeline.core.statuses import Status
from pipeline.runners.history.runs_table import STYLES

DOCS = Path(__file__).parents[3] / "docs/runs.md"
WITHOUT_CODE = {Status.RUNNING, Status.DIED, Status.DAMAGED}


@pytest.mark.parametrize("status", Status)
def test_every_status_has_an_exit_code_and_a_colour(status: Status) -> None:
    assert (status.exit_code is None) == (status in WITHOUT_CODE)
    assert status.tone in ("good", "warn", "bad", "off")
    assert Style.parse(STYLES[status.tone]).color
    assert status in DOCS.read_text()


@pytest.mark.parametrize("status", [s for s in Status if s.exit_code is not None])
def test_an_exit_code_leads_to_a_status_with_this_code(status: Status) -> None:
    assert status.exit_code is not None
    assert Status.of(status.exit_code).exit_code == status.exit_code


def test_only_the_gate_stops_a_run_at_the_gate() -> None:
    assert Status.of(3, "AnomalyGate") == "stopped by the data gate"
    assert Status.of(3, "BatchPredictor") == "data refused"
    assert Status.of(3) == "data refused"


def test_an_exit_code_of_no_run_is_refused() -> None:
    with pytest.raises(ValueError, match="exit code 77"):
        Status.of(77)


def test_the_word_is_the_status() -> None:
    assert {Status.PUSHED: 1}["pushed"] == 1  # type: ignore[index]
    assert (json.dumps(Status.PUSHED), f"{Status.PUSHED}") == ('"pushed"', "pushed")
