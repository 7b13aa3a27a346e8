"""Trials train as the Trainer does, alone and under each algorithm of the search."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tiny_models import Trained

from components.tuner.oracle import make_oracle
from components.tuner.search import Search
from components.tuner.trial import TrialJob
from components.tuner.trial_process import Outcome
from pipeline.config import TuningConfig
from pipeline.config.sections.tuning import OBJECTIVES
from pipeline.core.events import SearchResults
from trainer_module.run import run_fn
from trainer_module.trial import train_trial

pytestmark = pytest.mark.slow


def inputs_of(trained: Trained) -> dict[str, Any]:
    names = ("train_files", "eval_files", "transform_graph_path", "custom_config", "base_model")
    return {name: getattr(trained.fn_args, name) for name in names}


def history_of(directory: str) -> dict[str, Any]:
    history: dict[str, Any] = json.loads(Path(directory, "history.json").read_text())
    return history


def test_a_trial_measures_what_training_with_its_values_reaches(
    binary: Trained, tmp_path: Path
) -> None:
    values = {"model.hidden_units": [8], "training.learning_rate": 0.02}
    measures = train_trial(inputs_of(binary), values, 4, str(tmp_path / "trial"))
    fn_args = Trained(binary.fn_args, {}, {}, {}, tmp_path).fn_args
    before = (fn_args.serving_model_dir, fn_args.model_run_dir)
    fn_args.serving_model_dir, fn_args.model_run_dir = str(tmp_path / "m"), str(tmp_path / "r")
    fn_args.hyperparameters = values
    try:
        run_fn(fn_args)
    finally:
        fn_args.serving_model_dir, fn_args.model_run_dir = before
        fn_args.hyperparameters = None

    history = history_of(str(tmp_path / "r"))
    assert history["tuned"] == values
    best = history["epochs"][history["best_epoch"] - 1]
    assert measures["eval_loss"] == best["eval_loss"]
    assert measures["eval_auc"] == best["eval_auc"]
    assert measures["steps"] == history["epochs"][-1]["steps"]
    untuned = history_of(binary.fn_args.model_run_dir)
    assert untuned["tuned"] == {}
    assert untuned["backup"] != history["backup"]
    assert min(e["eval_loss"] for e in untuned["epochs"]) != measures["eval_loss"]


@pytest.mark.long
def test_a_trial_continued_from_a_backup_equals_an_uninterrupted_trial(
    binary: Trained, tmp_path: Path
) -> None:
    whole, half, rest = (str(tmp_path / name) for name in ("whole", "half", "rest"))
    once = train_trial(inputs_of(binary), {}, 4, whole)
    first = train_trial(inputs_of(binary), {}, 2, half)
    assert (first["epochs"], once["epochs"]) == (2, 4)
    shutil.copytree(half, rest)
    assert train_trial(inputs_of(binary), {}, 4, rest) == pytest.approx(once, abs=1e-6)
    assert train_trial(inputs_of(binary), {}, 4, whole) == once, "it has nothing left to do"


@pytest.mark.parametrize("strategy", ["auto", "multi_worker", "parameter_server"])
def test_a_trial_of_a_multi_worker_training_runs_in_one_process(
    strategy: str, binary: Trained, tmp_path: Path
) -> None:
    training = json.loads(binary.fn_args.custom_config["training"])
    several = {"workers": 2, "strategy": strategy}
    if strategy == "parameter_server":
        several["parameter_servers"] = 1
    inputs = inputs_of(binary)
    config = {**inputs["custom_config"], "training": json.dumps(training | several)}
    measures = train_trial(inputs | {"custom_config": config}, {}, 1, str(tmp_path))
    alone = history_of(binary.fn_args.model_run_dir)["epochs"][0]
    assert measures["eval_loss"] == pytest.approx(alone["eval_loss"], abs=1e-6)


class _Here:
    """Runs a trial in this process, where TensorFlow has already started."""

    def __init__(self, name: str, job: TrialJob) -> None:
        self._job = job

    def poll(self) -> Outcome:
        return Outcome(self._job.run())

    def terminate(self) -> None:
        pass

    def stop(self) -> None:
        pass


def search(trained: Trained, folder: Path, **tuning: Any) -> SearchResults:
    config = TuningConfig.model_validate(tuning)
    job = TrialJob("trainer_module.trial.train_trial", inputs_of(trained), config.epochs or 1)
    oracle = make_oracle(config, job.epochs, str(folder / "oracle"))
    (folder / "oracle").mkdir()
    return Search(config, oracle, job, folder / "search", _Here).run()


SPACES: Mapping[str, Any] = {"training.learning_rate": {"min": 0.001, "max": 0.1, "log": True}}


def test_a_bayesian_search_runs_all_its_trials(multiclass: Trained, tmp_path: Path) -> None:
    settings = {"algorithm": "bayesian", "objective": "accuracy", "search": SPACES, "epochs": 1}
    results = search(multiclass, tmp_path, max_trials=5, **settings)
    assert [row.status for row in results.trials] == ["done"] * 5, "two by the Gaussian process"
    assert results.objective == "eval_accuracy"
    objectives = [row.objective or 0 for row in results.trials]
    assert objectives[int(results.best) - 1] == max(objectives)


@pytest.mark.long
def test_hyperband_continues_from_the_weights_of_the_best_trial(
    regression: Trained, tmp_path: Path
) -> None:
    settings = {"algorithm": "hyperband", "objective": "rmse", "search": SPACES, "epochs": 3}
    results = search(regression, tmp_path, **settings)
    assert [row.measures["epochs"] for row in results.trials] == [1, 1, 1, 3, 3, 3]
    fourth = results.trials[3]
    first = min(results.trials[:3], key=lambda row: row.objective or 0)
    assert fourth.values == first.values
    assert fourth.measures["steps"] == 3 * first.measures["steps"]
    assert (fourth.objective or 0) <= (first.objective or 0)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_every_objective_of_a_task_is_a_metric_of_its_training(
    task: str, binary: Trained, multiclass: Trained, regression: Trained
) -> None:
    trained = {"binary": binary, "multiclass": multiclass, "regression": regression}[task]
    measured = history_of(trained.fn_args.model_run_dir)["epochs"][0]
    assert {f"eval_{name}" for name in OBJECTIVES[task]} <= set(measured)  # type: ignore[index]
