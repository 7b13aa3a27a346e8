"""Whole trainings of blends: what is served, history, events, trials."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained

from trainer_module.run import run_fn
from trainer_module.trial import train_trial

pytestmark = pytest.mark.slow


def read_history(trained: Trained) -> dict[str, Any]:
    path = Path(trained.fn_args.model_run_dir, "history.json")
    history: dict[str, Any] = json.loads(path.read_text())
    return history


def read_events(trained: Trained, kind: str) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in trained.events.read_text().splitlines()]
    return [event for event in events if event["event"] == kind]


def serve(trained: Trained) -> dict[str, np.ndarray]:
    """Returns the outputs of the served model for the raw rows of split eval."""
    missing = {"string": "__MISSING__", "int": -(2**63), "float": float("nan")}
    dtypes = {"string": tf.string, "int": tf.int64, "float": tf.float32}
    model = tf.saved_model.load(trained.model)
    assert "network" not in model.signatures
    columns = {}
    for name in trained.features:
        kind = trained.types[name]
        cells = [missing[kind] if v is None else v for v in trained.splits["eval"][name]]
        columns[name] = tf.constant(cells, dtypes[kind])[:, tf.newaxis]
    outputs = model.signatures["serving_default"](**columns)
    return {name: value.numpy() for name, value in outputs.items()}


def test_the_served_model_has_the_loss_that_the_history_tells(
    multiclass_blend: Trained, regression_blend: Trained
) -> None:
    classes = {name: i for i, name in enumerate("abc")}
    labels = [classes[v] for v in multiclass_blend.splits["eval"]["label?"]]
    served = serve(multiclass_blend)["probabilities"][np.arange(len(labels)), labels]
    history = read_history(multiclass_blend)["blend"]
    assert -np.log(served).mean() == pytest.approx(history["eval_loss"], rel=1e-4)
    errors = serve(regression_blend)["prediction"] - regression_blend.splits["eval"]["label?"]
    history = read_history(regression_blend)["blend"]
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(history["eval_rmse"], rel=1e-4)


def test_the_blend_is_as_good_as_its_best_part_up_to_the_prior_of_its_weights(
    binary_blend: Trained, multiclass_blend: Trained, regression_blend: Trained
) -> None:
    """At most, the prior counts 1.25 in the sum of the rows' log likelihoods: see `weights`."""
    for trained in (binary_blend, multiclass_blend, regression_blend):
        history = read_history(trained)
        best = min(part["eval_loss"] for part in history["parts"])
        rows = len(trained.splits["eval"]["label?"])
        scale = 2 * best if trained is regression_blend else 1
        assert history["blend"]["eval_loss"] <= best + 1.25 * scale / rows
        assert sum(part["weight"] for part in history["parts"]) == pytest.approx(1)


def test_each_part_has_a_seed_epochs_and_backups_of_its_own(binary_blend: Trained) -> None:
    history = read_history(binary_blend)
    parts = history["parts"]
    assert [(p["part"], p["number"], p["seed"], p["unit"]) for p in parts] == [
        ("network", 1, 0, "epoch"),
        ("trees", 1, 0, "iteration"),
        ("network", 2, 1, "epoch"),
        ("trees", 2, 1, "iteration"),
    ]
    assert history["epochs"] == parts[0]["epochs"] != parts[2]["epochs"]
    assert len(parts[1]["epochs"]) > 3
    assert set(history["importance_by_gain"]) == set(binary_blend.features)
    backups = Path(binary_blend.fn_args.custom_config["backup_directory"], history["backup"])
    assert {path.name for path in backups.iterdir()} >= {
        "network-1", "network-2", "trees-1", "trees-2",
    }  # fmt: skip
    texts = sorted(Path(binary_blend.fn_args.model_run_dir).glob("*.txt"))
    assert [path.name for path in texts] == ["lightgbm-2.txt", "lightgbm.txt"]
    # Without draws of rows and columns, a seed would change no tree.
    first, second = (path.read_text().partition("Tree=0\n")[2][:200] for path in texts)
    assert first != second


def test_events_tell_which_part_is_trained_and_how_much_it_counts(binary_blend: Trained) -> None:
    started = [(e["part"], e["number"], e["count"]) for e in read_events(binary_blend, "part")]
    assert started == [("network", 1, 1), ("trees", 1, 2), ("network", 2, 3), ("trees", 2, 4)]
    [weighed] = read_events(binary_blend, "weighed")
    parts = read_history(binary_blend)["parts"]
    assert weighed["parts"] == {f"{p['part']} {p['number']}": p["weight"] for p in parts}


def train_again(
    trained: Trained, folder: Path, blend: dict[str, Any], training: dict[str, Any]
) -> dict[str, Any]:
    config = dict(trained.fn_args.custom_config)
    model = json.loads(config["model"])
    model["blend"] = {**model["blend"], **blend}
    config |= {
        "backup_directory": str(folder / "backup"),
        "model": json.dumps(model),
        "training": json.dumps({**json.loads(config["training"]), **training}),
    }
    fn_args = attr.evolve(
        trained.fn_args,
        custom_config=config,
        serving_model_dir=str(folder / "model"),
        model_run_dir=str(folder / "run"),
    )
    run_fn(fn_args)
    history: dict[str, Any] = json.loads((folder / "run/history.json").read_text())
    return history


def test_no_further_fit_begins_after_the_given_seconds(
    multiclass_blend: Trained, tmp_path: Path
) -> None:
    history = train_again(multiclass_blend, tmp_path, {"fits": 3, "seconds": 0.001}, {})
    assert [(p["part"], p["number"]) for p in history["parts"]] == [("network", 1), ("trees", 1)]
    same = read_history(multiclass_blend)
    assert [p["weight"] for p in history["parts"]] == [p["weight"] for p in same["parts"]]


def test_the_parts_share_the_time_limit_and_no_further_fit_begins_after_it(
    multiclass_blend: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, events = tmp_path / "steps", tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_STEPS", str(steps))
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    limit = {"seconds": 0.002, "steps_per_execution": 2}
    history = train_again(multiclass_blend, tmp_path, {"fits": 3}, limit)
    network, trees = history["parts"]
    assert (network["part"], network["is_out_of_time"]) == ("network", True)
    assert (trees["part"], trees["is_out_of_time"], len(trees["epochs"])) == ("trees", True, 1)
    assert history["time_limit"] == 0.002
    ended = [e for e in map(json.loads, events.read_text().splitlines()) if e["event"] == "trained"]
    # The first network took more than the whole time, so the trees get their quarter.
    assert [e["time_limit"] for e in ended] == [0.001, 0.0005]
    # The supervisor counts the steps of all parts; a tick of 0 announces the export.
    assert json.loads(steps.read_text()) == [3, 0]


def test_a_trial_measures_the_blend(multiclass_blend: Trained, tmp_path: Path) -> None:
    fn_args = multiclass_blend.fn_args
    inputs = {
        "train_files": fn_args.train_files,
        "eval_files": fn_args.eval_files,
        "transform_graph_path": fn_args.transform_graph_path,
        "custom_config": fn_args.custom_config,
        "base_model": None,
    }
    whole = train_trial(inputs, {}, 3, str(tmp_path / "whole"))
    assert whole["eval_loss"] == pytest.approx(read_history(multiclass_blend)["blend"]["eval_loss"])
    assert whole["epochs"] == 3
    assert {"eval_accuracy", "steps"} <= set(whole)
    alone = train_trial(inputs, {"model.family": "trees"}, 3, str(tmp_path / "alone"))
    trees = read_history(multiclass_blend)["parts"][1]
    assert alone["eval_loss"] == trees["eval_loss"], "a search may compare a blend with trees"
