"""Copying served weights into a new network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow_transform as tft
from tiny_models import Trained
from tiny_run import Table, custom_config, transform

from trainer_module.fit.warm_start import copy_served_weights, read_weights, variables_by_name
from trainer_module.heads import make_head
from trainer_module.models import build_model
from trainer_module.run import run_fn
from trainer_module.sections import Sections

FEATURES = {"color": "categorical", "note": {"kind": "text", "max_tokens": 2}, "x": "numeric"}


LABEL = {"column": "y", "task": "binary", "classes": ["no", "yes"]}


def table(colors: str, notes: str) -> Table:
    """A row for each letter: a color and a note."""
    rows = len(colors)
    return {
        "color": list(colors),
        "note": list(notes),
        "x": np.linspace(0, 1, rows).tolist(),
        "y": ["yes" if i % 2 else "no" for i in range(rows)],
    }


def trained(root: Path, rows: Table, model: dict[str, Any], **fields: Any) -> Any:
    config = custom_config(FEATURES, LABEL, model=model, training={"epochs": 1})
    fn_args = transform(root, {"train": rows, "eval": rows}, config)
    fn_args = attr.evolve(fn_args, **fields)
    run_fn(fn_args)
    return fn_args


@pytest.mark.slow
def test_categories_keep_their_vectors_when_their_ids_change(tmp_path: Path) -> None:
    model = {"family": "wide_deep", "hidden_units": [4]}
    first = trained(tmp_path / "1", table("rrrrggb" * 9, "uuuuvvw" * 9), model)
    weights = read_weights(first.serving_model_dir)

    # Green is now the most frequent, blue is gone, and there is yellow.
    rows = table("ggggrry" * 9, "wwwwvvz" * 9)
    second = trained(tmp_path / "2", rows, model, base_model=first.serving_model_dir)
    history = json.loads(Path(second.model_run_dir, "history.json").read_text())
    assert history["served_weights"] == history["weights"] == len(weights)

    network = fresh_network(second)
    copy_served_weights(network, first.serving_model_dir, *inputs_of(second))
    now = {
        name: value.numpy()
        for name, value in variables_by_name(network.trainable_variables).items()
    }
    then, new = (w["embedding__color/embeddings"] for w in (weights, now))
    # 0 is a missing value, then come red, green and blue; green, red and yellow; the last is OOV.
    np.testing.assert_array_equal(new[[0, 1, 2, 4]], then[[0, 2, 1, 4]])
    assert not np.isclose(new[3], then[3]).any()
    then, new = (w["weight__note/embeddings"] for w in (weights, now))
    # 0 is padding, 1 a missing text, then come u, v, w; and w, v, z.
    np.testing.assert_array_equal(new[[0, 1, 2, 3, 5]], then[[0, 1, 4, 3, 5]])
    np.testing.assert_array_equal(now["dense/kernel"], weights["dense/kernel"])


@pytest.mark.slow
def test_weights_of_another_shape_are_not_copied(binary: Trained, tmp_path: Path) -> None:
    """With other layer widths, the embeddings and the wide weights still match."""
    config = dict(binary.fn_args.custom_config)
    config["model"] = json.dumps({**json.loads(config["model"]), "hidden_units": [8, 8]})
    network = fresh_network(attr.evolve(binary.fn_args, custom_config=config))
    before = {n: v.numpy() for n, v in variables_by_name(network.trainable_variables).items()}
    found = copy_served_weights(network, binary.model, *inputs_of(binary.fn_args))
    after = {n: v.numpy() for n, v in variables_by_name(network.trainable_variables).items()}
    served = read_weights(binary.model)
    kept = {name for name in after if np.array_equal(before[name], after[name])}
    assert {"dense/kernel", "dense_1/kernel", "deep/kernel"} <= kept
    assert found["served_weights"] == sum(served[n].shape == after[n].shape for n in after)
    np.testing.assert_array_equal(after["wide/kernel"], served["wide/kernel"])


def test_without_a_served_model_there_are_no_weights_to_copy(tmp_path: Path) -> None:
    assert read_weights(str(tmp_path)) == {}


def fresh_network(fn_args: Any) -> Any:
    features, output = inputs_of(fn_args)
    sections = Sections(fn_args.custom_config)
    head = make_head(sections.label, np.array([0, 1]))
    return build_model(features, output, head, sections.model)


def inputs_of(fn_args: Any) -> tuple[Any, Any]:
    output = tft.TFTransformOutput(fn_args.transform_graph_path)
    return Sections(fn_args.custom_config).encoded_features, output
