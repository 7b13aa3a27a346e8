"""Whole trainings of trees: the served scores, history, events, backups."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import attr
import lightgbm
import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained

from pipeline.config import ModelConfig, TrainingConfig
from trainer_module.input.row_weights import EQUAL
from trainer_module.run import run_fn
from trainer_module.sections import Sections
from trainer_module.trees.boosting import Boosting
from trainer_module.trees.run import tell_unread_keys
from trainer_module.trees.setup import set_up_trees
from trainer_module.trees.table import read_table
from trainer_module.trial import train_trial

pytestmark = pytest.mark.slow


def read_history(trained: Trained) -> dict[str, Any]:
    history: dict[str, Any] = json.loads(
        Path(trained.fn_args.model_run_dir, "history.json").read_text()
    )
    return history


def serve(trained: Trained, split: str = "eval") -> dict[str, np.ndarray]:
    """Returns the outputs of the served model for the raw rows of a split."""
    missing = {"string": "__MISSING__", "int": -(2**63), "float": float("nan")}
    dtypes = {"string": tf.string, "int": tf.int64, "float": tf.float32}
    model = tf.saved_model.load(trained.model)
    columns = {}
    for name in trained.features:
        kind = trained.types[name]
        cells = [missing[kind] if v is None else v for v in trained.splits[split][name]]
        columns[name] = tf.constant(cells, dtypes[kind])[:, tf.newaxis]
    outputs = model.signatures["serving_default"](**columns)
    return {name: value.numpy() for name, value in outputs.items()}


def predict_with_lightgbm(trained: Trained) -> np.ndarray:
    """Returns LightGBM's own raw scores for the eval split."""
    sections = Sections(trained.fn_args.custom_config)
    setup = set_up_trees(trained.fn_args, sections)
    table = read_table(setup.evaluation, setup.inputs, setup.head, EQUAL)
    booster = lightgbm.Booster(model_file=str(Path(trained.fn_args.model_run_dir, "lightgbm.txt")))
    return np.asarray(booster.predict(table.rows, raw_score=True))


def test_the_served_model_scores_raw_rows_as_lightgbm_scores_the_columns(
    binary_trees: Trained, multiclass_trees: Trained, regression_trees: Trained
) -> None:
    scores = predict_with_lightgbm(binary_trees)
    np.testing.assert_allclose(
        serve(binary_trees)["probability"], 1 / (1 + np.exp(-scores)), atol=1e-5
    )
    exponents = np.exp(predict_with_lightgbm(multiclass_trees))
    wanted = exponents / exponents.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(serve(multiclass_trees)["probabilities"], wanted, atol=1e-5)
    labels = np.array(regression_trees.splits["train"]["label?"], np.float32).astype(np.float64)
    wanted = predict_with_lightgbm(regression_trees) * labels.std() + labels.mean()
    np.testing.assert_allclose(serve(regression_trees)["prediction"], wanted, rtol=1e-5)


def test_the_trees_learn_each_task(
    binary_trees: Trained, multiclass_trees: Trained, regression_trees: Trained
) -> None:
    best = [
        history["epochs"][history["best_epoch"] - 1]
        for history in map(read_history, (binary_trees, multiclass_trees, regression_trees))
    ]
    assert best[0]["eval_auc"] > 0.8
    assert best[1]["eval_accuracy"] > 0.7
    labels = np.array(regression_trees.splits["eval"]["label?"])
    assert best[2]["eval_rmse"] < 0.8 * labels.std()
    predicted = serve(regression_trees)["prediction"]
    assert np.sqrt(np.mean((predicted - labels) ** 2)) == pytest.approx(
        best[2]["eval_rmse"], rel=1e-4
    )
    assert np.abs(predicted - labels).mean() == pytest.approx(best[2]["eval_mae"], rel=1e-4)


def test_history_and_events_tell_of_iterations(binary_trees: Trained) -> None:
    history = read_history(binary_trees)
    assert history["unit"] == "iteration"
    assert {"loss", "accuracy", "eval_loss", "eval_auc", "seconds"} <= set(history["epochs"][0])
    assert history["epochs"][-1]["loss"] < history["epochs"][0]["loss"]
    for kind in ("gain", "split"):
        shares = history[f"importance_by_{kind}"]
        assert sum(shares.values()) == pytest.approx(1)
        assert set(shares) == set(binary_trees.features)
    assert next(iter(history["importance_by_gain"])) == "a%b"
    events = [json.loads(line) for line in binary_trees.events.read_text().splitlines()]
    by_kind = {event["event"]: event for event in events}
    assert by_kind["unread"]["keys"] == ["training.optimizer"]
    assert by_kind["trained"]["unit"] == "iteration"
    assert by_kind["trained"]["best_epoch"] == history["best_epoch"]


def test_the_log_names_all_keys_without_effect(caplog: pytest.LogCaptureFixture) -> None:
    changed = {
        "optimizer": "sgd",
        "epochs": 4,
        "global_batch_size": 64,
        "precision": "mixed_bfloat16",
    }
    model = ModelConfig.model_validate({"family": "trees", "dropout": 0.1})
    tell_unread_keys(model, TrainingConfig.model_validate(changed))
    assert "model.dropout" in caplog.text
    assert all(f"training.{key}" in caplog.text for key in changed)


def train_again(trained: Trained, folder: Path) -> tuple[str, dict[str, Any]]:
    """Trains with the backups in `folder`; returns the trees' text and the history."""
    config = {**trained.fn_args.custom_config, "backup_directory": str(folder / "backup")}
    model, output = str(folder / "model"), folder / "run"
    run_fn(
        attr.evolve(
            trained.fn_args,
            custom_config=config,
            serving_model_dir=model,
            model_run_dir=str(output),
        )
    )
    return (output / "lightgbm.txt").read_text(), json.loads((output / "history.json").read_text())


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_killed_training_ends_with_the_same_trees(
    multiclass_trees: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(multiclass_trees.fn_args.model_run_dir, "lightgbm.txt").read_text()
    train_stage = Boosting.train_stage
    stages = []

    def killed_in_the_third_stage(*arguments: Any) -> str:
        stages.append(arguments)
        if len(stages) == 3:
            raise Killed
        return train_stage(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Boosting, "train_stage", killed_in_the_third_stage)
        with pytest.raises(Killed):
            train_again(multiclass_trees, tmp_path)
    assert len(list(tmp_path.glob("backup/*/stage-*.txt"))) == 2
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    text, history = train_again(multiclass_trees, tmp_path)
    assert text == whole
    assert [e["eval_loss"] for e in history["epochs"]] == [
        e["eval_loss"] for e in read_history(multiclass_trees)["epochs"]
    ]
    resumed = json.loads(events.read_text().splitlines()[0])
    assert (resumed["event"], resumed["epoch"], resumed["unit"]) == ("resumed", 16, "iteration")


def test_the_number_of_threads_does_not_change_the_trees(
    binary_trees: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "1")
    text, _ = train_again(binary_trees, tmp_path)
    assert text == Path(binary_trees.fn_args.model_run_dir, "lightgbm.txt").read_text()


def test_a_longer_trial_continues_a_shorter_one(binary_trees: Trained, tmp_path: Path) -> None:
    config = dict(binary_trees.fn_args.custom_config)
    config["training"] = json.dumps({**json.loads(config["training"]), "epochs": 6})
    inputs = {
        "train_files": binary_trees.fn_args.train_files,
        "eval_files": binary_trees.fn_args.eval_files,
        "transform_graph_path": binary_trees.fn_args.transform_graph_path,
        "custom_config": config,
        "base_model": None,
    }
    values = {"model.trees.leaves": 4}
    short = train_trial(inputs, values, 2, str(tmp_path))
    assert short["steps"] == 10
    whole = train_trial(inputs, values, 6, str(tmp_path))
    assert whole["steps"] == 30
    assert whole["eval_loss"] < short["eval_loss"]
    shutil.rmtree(tmp_path / "backup")
    assert train_trial(inputs, {"model.trees.leaves": 2}, 2, str(tmp_path)) != short
