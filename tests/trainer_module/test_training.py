"""Fitting: early stopping, the best weights, reproducible runs, and what stops a run."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from tiny_models import Trained

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.core.errors import DataError, PipelineError
from trainer_module.fit.backup import Backup, FitState
from trainer_module.fit.callbacks import progress
from trainer_module.fit.callbacks.steps_per_execution import count_steps_within
from trainer_module.heads import make_head
from trainer_module.models.inputs import default_embedding_dimension
from trainer_module.run import run_fn
from trainer_module.sections import Sections


def rerun(
    trained: Trained, folder: Path, dropout: float = 0.0, **training: Any
) -> tuple[dict[str, Any], str]:
    """Trains again with other settings; gives the history and the folder of the model."""
    config = dict(trained.fn_args.custom_config)
    config["training"] = json.dumps({**json.loads(config["training"]), **training})
    config["model"] = json.dumps({**json.loads(config["model"]), "dropout": dropout})
    config["backup_directory"] = str(folder / "backup")
    model, run = str(folder / "model"), str(folder / "run")
    run_fn(
        attr.evolve(
            trained.fn_args, custom_config=config, serving_model_dir=model, model_run_dir=run
        )
    )
    return json.loads(Path(run, "history.json").read_text()), model


@pytest.mark.slow
def test_the_run_leaves_history_events_and_tensorboard_files(binary: Trained) -> None:
    folder = Path(binary.fn_args.model_run_dir)
    history = json.loads((folder / "history.json").read_text())
    assert history["train_examples"] == history["eval_examples"] == 240
    assert history["global_batch_size"] == 15
    assert history["steps_per_epoch"] == 16
    assert len(history["epochs"]) == 4
    assert {"loss", "auc", "eval_loss", "eval_auc", "seconds"} <= set(history["epochs"][0])
    with (folder / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2", "3", "4"]
    assert [float(row["eval_loss"]) for row in rows] == [e["eval_loss"] for e in history["epochs"]]
    assert list(folder.glob("train/events*"))
    assert list(folder.glob("validation/events*"))

    events = [json.loads(line) for line in binary.events.read_text().splitlines()]
    assert {event["component"] for event in events} == {"Trainer"}
    ends = [event for event in events if event.get("eval_loss") is not None]
    assert [(end["epoch"], end["epochs"], end["step"]) for end in ends] == [
        (epoch, 4, 16) for epoch in range(1, 5)
    ]
    assert [end["eval_loss"] for end in ends] == [e["eval_loss"] for e in history["epochs"]]
    assert all(end["examples_per_second"] > 0 for end in ends)


@pytest.mark.slow
def test_a_finished_training_is_not_repeated_before_it_is_published(
    binary: Trained, tmp_path: Path
) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    events = binary.events.read_text()
    again = attr.evolve(binary.fn_args, serving_model_dir=str(model), model_run_dir=str(run))
    run_fn(again)
    first = Path(binary.fn_args.model_run_dir, "history.json").read_text()
    assert (run / "history.json").read_text() == first
    assert (model / "saved_model.pb").exists()
    assert binary.events.read_text() == events


@pytest.mark.slow
def test_training_stops_early_and_serves_the_best_weights(binary: Trained, tmp_path: Path) -> None:
    history, _ = rerun(binary, tmp_path, epochs=30, learning_rate=0.05, early_stopping_patience=2)
    losses = [epoch["eval_loss"] for epoch in history["epochs"]]
    assert len(losses) < 30
    assert history["best_epoch"] == len(losses) - 2
    assert losses[history["best_epoch"] - 1] == min(losses)


@pytest.mark.slow
def test_a_seed_makes_the_run_reproducible(binary: Trained, tmp_path: Path) -> None:
    signature = "serving_examples"
    empty = tf.constant([tf.train.Example().SerializeToString()])
    models = [binary.model]
    models += [rerun(binary, tmp_path / str(seed), seed=seed)[1] for seed in (0, 1)]
    first, again, other = (
        float(tf.saved_model.load(model).signatures[signature](empty)["probability"][0])
        for model in models
    )
    assert again == pytest.approx(first, abs=1e-5)
    assert other != pytest.approx(first, abs=1e-5)


@pytest.mark.slow
def test_dropout_is_that_of_the_seed_and_the_step(binary: Trained, tmp_path: Path) -> None:
    """Whoever drives the steps, however many at a time, and in how many pieces of training."""
    runs: dict[str, dict[str, Any]] = {
        "custom": {},
        "few at a time": {"steps_per_execution": 3},
        "fit": {"loop": "fit"},
        "cut": {"recovery": {"backup_seconds": 1e-4}, "steps_per_execution": 1},
        "other": {"seed": 1},
    }
    save = Backup.save

    def save_and_stop(backup: Backup) -> None:
        save(backup)
        if backup.state.step and len(backup.state.epochs) == 1:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Backup, "save", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            rerun(binary, tmp_path / "cut", dropout=0.5, epochs=3, **runs["cut"])
    losses = {
        name: [
            epoch["eval_loss"]
            for epoch in rerun(binary, tmp_path / name, dropout=0.5, epochs=3, **run)[0]["epochs"]
        ]
        for name, run in runs.items()
    }
    assert losses["few at a time"] == losses["fit"] == losses["cut"] == losses["custom"]
    assert losses["other"] != pytest.approx(losses["custom"], rel=1e-3)
    without = rerun(binary, tmp_path / "without", epochs=3)[0]["epochs"]
    assert without[0]["eval_loss"] != pytest.approx(losses["custom"][0], rel=1e-3)


@pytest.mark.slow
def test_divergence_is_told(binary: Trained, tmp_path: Path) -> None:
    """The step is that of the first loss, although TensorFlow made more before Python looked."""
    messages = []
    for steps in (1, 16):
        with pytest.raises(PipelineError) as caught:
            rerun(
                binary,
                tmp_path / str(steps),
                optimizer="sgd",
                learning_rate=1e38,
                steps_per_execution=steps,
            )
        messages.append(caught.value.message)
        assert "training.learning_rate" in caught.value.hint
    told = (
        r"the loss is (nan|inf) in epoch 1, at step \d, whose batch has 15 rows, labels 0 to 1; '"
    )
    assert re.search(told, messages[0])
    assert messages[0].partition(" in ")[2] == messages[1].partition(" in ")[2]


@pytest.mark.parametrize(
    ("task", "labels", "message"),
    [
        ("binary", [0, 1, -1, -1], "'y' is not one of no, yes in 2 of 4 rows"),
        ("regression", [1.0, math.nan], "'y' is not a number in 1 of 2 rows"),
    ],
)
def test_labels_that_are_none_are_refused(task: str, labels: list[float], message: str) -> None:
    classes = ("no", "yes") if task == "binary" else ()
    label = LabelConfig(column="y", task=task, classes=classes)
    with pytest.raises(DataError, match=message):
        make_head(label, np.array(labels))


def test_heads_start_from_the_best_constant() -> None:
    binary = make_head(LabelConfig(column="y", task="binary", classes=("a", "b")), labels(90, 10))
    assert binary.bias == pytest.approx([math.log(0.1 / 0.9)], abs=0.05)
    never = make_head(LabelConfig(column="y", task="binary", classes=("a", "b")), labels(90, 0))
    assert math.isfinite(never.bias[0])
    three = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
    shares = np.exp(make_head(three, labels(50, 30, 20)).bias)
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.01)


def labels(*counts: int) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


def test_regression_is_standardised_inside() -> None:
    head = make_head(LabelConfig(column="y", task="regression"), np.array([1e6, 3e6], np.float32))
    output = head.output(tf_keras.Input([1]))
    model = tf_keras.Model(output.node.keras_inputs, output)
    prediction = model(tf.constant([[0.0], [1.0]]))
    np.testing.assert_allclose(prediction, [[2e6], [3e6]])
    loss = head.loss(tf.constant([[3e6], [3e6]]), prediction)
    np.testing.assert_allclose(loss, [1.0, 0.0])


def test_embeddings_grow_with_the_categories() -> None:
    sizes = [default_embedding_dimension(count) for count in (1, 2, 10, 1000, 10**6)]
    assert sizes == [2, 2, 6, 50, 50]


@pytest.mark.slow
def test_short_steps_are_made_many_at_once(binary: Trained, tmp_path: Path) -> None:
    """Measured in the first epoch, and held to from the second on."""
    events = tmp_path / "events.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIPELINE_EVENTS", str(events))
        patch.setattr(progress, "SECONDS_BETWEEN_UPDATES", 0.0)
        rerun(binary, tmp_path, epochs=3)
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [e["step"] for e in told if e["event"] == "progress"] == [8, 16, 16, 16, 16, 16, 16]
    assert [told[0]["event"], told[-1]["event"]] == ["batches", "trained"]
    losses = [e["eval_loss"] for e in told if e.get("eval_loss") is not None]
    assert told[-1]["best_eval_loss"] == min(losses)
    assert told[-1]["best_epoch"] == 1 + losses.index(min(losses))


@pytest.mark.parametrize(("seconds", "steps"), [(1e-4, 64), (0.01, 10), (0.07, 2), (5.0, 2)])
def test_long_steps_are_made_few_at_once(seconds: float, steps: int) -> None:
    assert count_steps_within(0.1, seconds) == steps


def test_patience_counts_from_the_best_epoch() -> None:
    state = FitState()
    two = TrainingConfig(epochs=10, early_stopping_patience=2)
    assert not state.is_over(two, 16)
    for loss in (0.5, 0.4, math.nan):
        state.epochs.append({"eval_loss": loss})
    assert state.best_epoch == 1
    assert not state.is_over(two, 16)
    state.epochs.append({"eval_loss": 0.4})
    assert state.best_epoch == 1
    assert state.is_over(two, 16)
    assert not state.is_over(TrainingConfig(epochs=10, early_stopping_patience=0), 16)
    assert state.is_over(TrainingConfig(epochs=4, early_stopping_patience=0), 16)


def test_patience_counts_steps_where_epochs_are_short() -> None:
    state = FitState()
    state.epochs = [{"eval_loss": loss} for loss in (0.4, 0.5, 0.5)]
    config = TrainingConfig(early_stopping_patience=1, early_stopping_steps=30)
    assert not state.is_over(config, steps_per_epoch=14)
    assert state.is_over(config, steps_per_epoch=15)


def test_the_state_survives_a_checkpoint() -> None:
    state, restored = FitState(), FitState()
    state.epochs = [{"eval_loss": 0.5, "größe": 1.0}]
    state.step = 5
    state.best_weights = [np.ones([2, 3], np.float32), np.array(7)]
    restored.deserialize(state.serialize())
    assert (restored.epochs, restored.step) == (state.epochs, 5)
    for one, other in zip(restored.best_weights, state.best_weights, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


@pytest.mark.parametrize(
    ("pattern", "content"),
    [("*.data-*", b"damaged"), ("checkpoint", b""), ("checkpoint", b"\xff\xfe")],
)
def test_a_damaged_backup_is_told(tmp_path: Path, pattern: str, content: bytes) -> None:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(2,))])
    model.compile("adam", "mse")
    Backup(model, str(tmp_path), is_chief=True).save()
    for path in tmp_path.glob(pattern):
        path.write_bytes(content)
    with pytest.raises(PipelineError, match="cannot be restored") as caught:
        Backup(model, str(tmp_path), is_chief=True).restore()
    assert "remove the directory" in caught.value.hint


def test_settings_without_effect_on_the_weights_keep_the_backup() -> None:
    def fingerprint(**training: Any) -> str:
        config = TrainingConfig.model_validate(training)
        texts = {"features": "", "label": "", "model": "", "training": config.to_json()}
        return Sections(texts).fingerprint()

    assert fingerprint() == fingerprint(recovery={"max_restarts": 9}, steps_per_execution=4)
    assert fingerprint() == fingerprint(tensorboard={"histograms": True}, threads={"intra_op": 2})
    assert fingerprint() != fingerprint(epochs=9)
    assert fingerprint() != fingerprint(seed=9)
