"""The search with real processes, in which fast functions replace the training."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from components.tuner.oracle import make_oracle
from components.tuner.search import Search, TrialRun
from components.tuner.trial import TrialJob
from components.tuner.trial_process import Outcome, TrialProcess
from pipeline.config import TuningConfig
from pipeline.core.errors import DataError, PipelineError
from pipeline.core.events import SearchResults

pytestmark = pytest.mark.slow

RATE = {"training.learning_rate": {"min": 0.0001, "max": 1.0, "log": True}}


@pytest.fixture(autouse=True)
def _fake_trials_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[3]
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}{os.pathsep}{root}")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


class RunHere:
    """Runs a trial in this process, which is fast."""

    def __init__(self, name: str, job: TrialJob, **unused: Any) -> None:
        self._job = job

    def poll(self) -> Outcome:
        return Outcome(self._job.run())

    def terminate(self) -> None:
        pass

    def stop(self) -> None:
        pass


def search(
    folder: Path,
    function: str,
    run: type[TrialRun] = TrialProcess,
    stall_seconds: float = 600,
    epochs: int = 9,
    **tuning: Any,
) -> SearchResults:
    """Searches in `folder`, where the fake trials also write their journal."""
    config = TuningConfig.model_validate({"search": RATE, "max_trials": 4, **tuning})
    job = TrialJob(f"fake_trials.{function}", {"journal": str(folder / "journal")}, epochs)
    start = partial(run, parallel=config.parallel, stall_seconds=stall_seconds)
    (folder / "oracle").mkdir(exist_ok=True, parents=True)
    oracle = make_oracle(config, epochs, str(folder / "oracle"))
    return Search(config, oracle, job, folder / "search", start).run()


def read_journal(folder: Path) -> list[str]:
    """Returns each line of the journal without its process id: the trial and its event."""
    return [line.rpartition(" ")[0] for line in (folder / "journal").read_text().splitlines()]


def list_running(folder: Path) -> list[int]:
    pids = [int(line.split()[-1]) for line in (folder / "journal").read_text().splitlines()]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_the_best_of_all_parallel_trials_is_found(tmp_path: Path) -> None:
    results = search(tmp_path, "valley", parallel=2)
    assert [row.trial for row in results.trials] == ["1", "2", "3", "4"]
    best = min(results.trials, key=lambda row: row.objective or 9)
    assert results.best == best.trial
    assert results.best_values == best.values
    assert all(0.0001 <= row.values["training.learning_rate"] <= 1 for row in results.trials)
    assert {row.status for row in results.trials} == {"done"}
    assert {row.measures["steps"] for row in results.trials} == {90}
    assert sorted(read_journal(tmp_path)) == [f"trial-{n} 0-9" for n in (1, 2, 3, 4)]
    assert [p.name for p in (tmp_path / "search").iterdir()] == ["search.json"]


def test_the_same_seed_gives_the_same_values_and_another_seed_gives_others(tmp_path: Path) -> None:
    one, same, other = (
        [
            row.values
            for row in search(
                tmp_path / name, "valley", run=RunHere, seed=seed, max_trials=2
            ).trials
        ]
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert one == same
    assert one != other


def test_a_metric_is_maximized_and_a_loss_minimized(tmp_path: Path) -> None:
    by_loss = search(tmp_path / "loss", "valley", run=RunHere)
    by_auc = search(tmp_path / "auc", "valley", run=RunHere, objective="auc")
    assert by_auc.objective == "eval_auc"
    assert by_auc.best == by_loss.best


def test_a_killed_trial_is_run_again(tmp_path: Path) -> None:
    results = search(tmp_path, "killed_once", parallel=2, max_trials=2)
    assert [(row.status, row.runs) for row in results.trials] == [("done", 2)] * 2
    assert "killed by signal 9" in results.trials[0].message


@pytest.mark.long
def test_a_trial_that_is_always_killed_fails_and_the_search_continues(tmp_path: Path) -> None:
    results = search(tmp_path, "always_killed", max_retries=1)
    failed = [row for row in results.trials if row.status == "failed"]
    assert 0 < len(failed) < 4
    for row in failed:
        assert row.runs == 2
        assert row.objective is None
        assert row.message == "its process was killed by signal 9"
    assert results.best not in {row.trial for row in failed}


def test_a_trial_that_diverges_is_not_run_again(tmp_path: Path) -> None:
    results = search(tmp_path, "diverges", max_retries=2)
    failed = [row for row in results.trials if row.status == "failed"]
    assert 0 < len(failed) < 4
    assert {(row.runs, row.message) for row in failed} == {
        (1, "ArithmeticError: training diverged")
    }


@pytest.mark.long
def test_a_trial_that_hangs_is_ended_and_run_again(tmp_path: Path) -> None:
    results = search(tmp_path, "hangs_once", stall_seconds=10, max_trials=1)
    assert [(row.status, row.runs) for row in results.trials] == [("done", 2)]
    assert results.trials[0].message == "made no progress in 10 s"
    assert list_running(tmp_path) == []


def test_a_mistake_in_the_code_ends_the_search_after_three_trials(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="TypeError: no such layer"):
        search(tmp_path, "broken", max_trials=20)
    assert len(read_journal(tmp_path)) == 3


def test_a_data_error_ends_the_search_after_one_trial(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the label is constant") as caught:
        search(tmp_path, "without_labels", max_trials=20)
    assert caught.value.hint == "look at the table"
    assert len(read_journal(tmp_path)) == 1


@pytest.mark.long
@pytest.mark.parametrize("function", ["without_room", "without_a_report"])
def test_a_full_disk_ends_the_search_and_the_next_search_continues_it(
    tmp_path: Path, function: str
) -> None:
    with pytest.raises(PipelineError, match=r"OSError: .*No space left on device") as caught:
        search(tmp_path, function)
    assert caught.value.exit_code == 1
    assert "run the same command again" in caught.value.hint
    assert read_journal(tmp_path) == ["trial-1 0-9"]
    (tmp_path / "room").touch()
    results = search(tmp_path, function)
    assert [(row.status, row.runs) for row in results.trials] == [
        ("done", 1),
        ("done", 2),
        ("done", 1),
        ("done", 1),
    ]
    assert read_journal(tmp_path) == [f"trial-{n} 0-9" for n in (1, 2, 3, 4)]


@pytest.mark.long
def test_a_search_without_a_result_starts_from_the_beginning(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"no trial .* succeeded.* TypeError: no such layer"):
        search(tmp_path, "broken", max_trials=2)
    assert search(tmp_path, "valley", max_trials=2).trials[0].status == "done"


def test_the_message_about_a_damaged_search_says_what_to_remove(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "search.json").write_text('{"oracle"')
    with pytest.raises(PipelineError, match="cannot continue the interrupted search") as caught:
        search(tmp_path, "valley")
    assert str(tmp_path / "search") in caught.value.hint


@pytest.mark.parametrize(
    "algorithm", [pytest.param("random", marks=pytest.mark.long), "bayesian", "hyperband"]
)
def test_an_interrupted_search_continues_without_repeating_ended_trials(
    tmp_path: Path, algorithm: str
) -> None:
    settings: dict[str, Any] = {"algorithm": algorithm, "parallel": 2, "epochs": 3}
    settings["max_trials"] = None if algorithm == "hyperband" else 6

    class Interrupted(TrialProcess):
        """Raises KeyboardInterrupt after four trials have begun."""

        def poll(self) -> Outcome | None:
            if (tmp_path / "journal").exists() and len(read_journal(tmp_path)) >= 4:
                raise KeyboardInterrupt
            return super().poll()

    with pytest.raises(KeyboardInterrupt):
        search(tmp_path, "valley", Interrupted, **settings)
    assert list_running(tmp_path) == []
    begun = set(read_journal(tmp_path))

    results = search(tmp_path, "valley", **settings)
    assert len(results.trials) == 6
    assert {row.status for row in results.trials} == {"done"}
    # Two trials were running when the interrupt came; only these two run again.
    assert len(begun) < 6
    assert sum(row.runs for row in results.trials) <= 8
    assert len(read_journal(tmp_path)) <= 8


def test_hyperband_gives_more_epochs_to_the_best_third(tmp_path: Path) -> None:
    settings = {"algorithm": "hyperband", "max_trials": None, "epochs": 9}
    results = search(tmp_path, "valley", run=RunHere, **settings)
    passes = [line.split()[1] for line in read_journal(tmp_path)]
    assert set(passes) == {"0-1", "1-3", "0-3", "3-9", "0-9"}
    rates: dict[str, dict[float, float]] = {name: {} for name in passes}
    for name, row in zip(passes, results.trials, strict=True):
        rates[name][row.values["training.learning_rate"]] = row.objective or 9
    first = sorted(rates["0-1"], key=rates["0-1"].__getitem__)
    assert set(rates["1-3"]) == set(first[: len(first) // 3])
    best = next(row for row in results.trials if row.trial == results.best)
    assert best.measures["epochs"] == 9


def test_a_bayesian_search_does_not_train_the_same_values_twice(tmp_path: Path) -> None:
    rates = {"training.learning_rate": {"choice": [0.001, 0.01, 0.1]}}
    settings = {"algorithm": "bayesian", "max_trials": 6, "search": rates}
    results = search(tmp_path, "valley", run=RunHere, **settings)
    tried = [row.values["training.learning_rate"] for row in results.trials]
    assert len(read_journal(tmp_path)) == len(set(tried))
    assert results.best_values == {"training.learning_rate": 0.01}
