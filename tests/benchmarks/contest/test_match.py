"""A match goes on where it stopped, keeps each result, and never mixes plans."""

import fcntl
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.contest import match
from benchmarks.contest.catalogue import QUICK
from benchmarks.contest.kept import Kept, Result
from benchmarks.contest.match import BusyError, Plan, play_match
from benchmarks.measuring.process import CommandError

PLAN = Plan(("training.epochs=2",), 5.0, 1, "abc12345")


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Returns the directory of a match whose own models are trained, and whose rows are gone."""
    place = tmp_path / QUICK.name / "1"
    kept = Kept(place / "results")
    kept.put("ours", Result(np.eye(3)[:2], {"seconds": 3.0}))
    kept.put("LightGBM", Result(None, failure="killed"))
    np.save(place / "labels.npy", np.array([0, 2]))
    (place / "facts.json").write_text(json.dumps({"task": "multiclass"}))
    plan = {"settings": ["training.epochs=2"], "budget": 5.0, "threads": 1, "commit": "abc12345"}
    (place / "plan.json").write_text(json.dumps(plan))
    config = Path(__file__).parents[3] / "configs/penguins.yaml"
    (place / "proposed.yaml").write_text(config.read_text())
    return tmp_path


def test_a_finished_match_is_read_and_not_played_again(begun: Path) -> None:
    found = play_match(QUICK, 1, begun, PLAN)
    assert found.facts == {"task": "multiclass"}
    assert found.labels.tolist() == [0, 2]
    assert found.results["ours"].facts == {"seconds": 3.0}
    assert found.results["LightGBM"].failure == "killed"


@pytest.mark.parametrize(
    "other",
    [
        Plan((), 5.0, 1, "abc12345"),
        Plan(PLAN.settings, None, 1, "abc12345"),
        Plan(PLAN.settings, 5.0, 2, "abc12345"),
        Plan(PLAN.settings, 5.0, 1, "def67890"),
    ],
    ids=["settings", "budget", "threads", "commit"],
)
def test_a_match_of_another_plan_begins_anew(
    other: Plan, begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def propose(table: object, directory: Path) -> float:
        assert not list((directory / "results").glob("*"))
        assert not (directory / "proposed.yaml").exists()
        raise CommandError("init is called again")

    monkeypatch.setattr(match, "propose_config", propose)
    with pytest.raises(CommandError, match="again"):
        play_match(QUICK, 1, begun, other)


def test_a_failing_rival_is_kept_with_its_reason_and_costs_no_other_result(begun: Path) -> None:
    """The run has no rows, so every rival fails."""
    (begun / QUICK.name / "1/run").mkdir()
    found = play_match(QUICK, 1, begun, PLAN)
    assert found.results["LightGBM"].failure == "killed"
    reason = found.results["HistGradientBoosting"].failure
    assert reason.startswith("FileNotFoundError")
    assert found.results["ours"].answers is not None


def test_a_match_is_left_to_the_process_that_plays_it(begun: Path) -> None:
    with (begun / QUICK.name / "1/lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BusyError, match="another process plays"):
            play_match(QUICK, 1, begun, PLAN)


def test_the_reason_of_a_failure_is_the_last_line_without_the_place_of_the_project() -> None:
    output = f"python x: exit code 1\nTraceback\nValueError: {match.ROOT}/build: no models\n"
    assert match._shorten(output) == "ValueError: build: no models"
