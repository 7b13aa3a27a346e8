"""Whole runs of `run_fn`: files, events, reproducible weights."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import attr
import pytest
import tensorflow as tf
from tiny_models import Trained, rerun

from trainer_module.run import run_fn

pytestmark = pytest.mark.slow


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


@pytest.mark.long
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
