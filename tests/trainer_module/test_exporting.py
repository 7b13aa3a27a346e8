"""What the ModelExporter asks of the trainer's code, by the paths of functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tiny_models import ROWS, Trained

from trainer_module.exporting import export_transform, sample_training_rows, train_further
from trainer_module.names import network_names, ngrams_name, tfidf_name, transformed_name
from trainer_module.sections import Sections

pytestmark = pytest.mark.slow


def make_inputs(trained: Trained) -> dict[str, Any]:
    return {
        "train_files": trained.fn_args.train_files,
        "eval_files": trained.fn_args.eval_files,
        "transform_graph_path": trained.fn_args.transform_graph_path,
        "custom_config": {
            key: text
            for key, text in trained.fn_args.custom_config.items()
            if key != "backup_directory"
        },
        "hyperparameters": {"training.epochs": 1},
        "base_model": trained.model,
    }


def test_rows_of_the_training_split_are_sampled(binary: Trained) -> None:
    rows = sample_training_rows(make_inputs(binary), 50)
    features = Sections(binary.fn_args.custom_config).features
    assert set(rows) == set(network_names(features))
    assert set(map(transformed_name, binary.features)) < set(rows)
    assert {ngrams_name("note?"), tfidf_name("note?")} < set(rows)
    assert {len(values) for values in rows.values()} == {50}
    assert len(sample_training_rows(make_inputs(binary), 10_000)["dense"]) == ROWS
    network = tf.saved_model.load(binary.model).signatures["network"]
    specs = network.structured_input_signature[1]
    assert {n: v.dtype for n, v in rows.items()} == {n: s.dtype for n, s in specs.items()}


def test_the_graph_of_transform_is_saved_with_the_columns_names(
    binary: Trained, tmp_path: Path
) -> None:
    export_transform(make_inputs(binary), str(tmp_path))
    signature = tf.saved_model.load(str(tmp_path)).signatures["transform_features"]
    assert set(signature.structured_input_signature[1]) == set(binary.features)


def test_the_network_is_trained_further_from_the_model_and_pruned(
    binary: Trained, tmp_path: Path
) -> None:
    share = train_further(make_inputs(binary), 0.6, True, str(tmp_path))
    assert share == pytest.approx(0.6, abs=0.02)
    rows = {
        name: tf.constant(values)
        for name, values in sample_training_rows(make_inputs(binary), ROWS).items()
    }
    before = tf.saved_model.load(binary.model).signatures["network"](**rows)["probability"]
    after = tf.saved_model.load(str(tmp_path)).signatures["network"](**rows)["probability"]
    correlation = np.corrcoef(before, after)[0, 1]
    assert 0.6 < correlation < 1, "it started from the weights of the model"
