"""Further training, from a finished model to a SavedModel."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained

from trainer_module.fit.warm_start import read_weights
from trainer_module.sections import Sections
from trainer_module.smaller.train import ONE_PROCESS, train_smaller

pytestmark = pytest.mark.slow


def train(trained: Trained, directory: Path, prune: float | None, rounds: bool) -> float | None:
    inputs = SimpleNamespace(
        train_files=trained.fn_args.train_files,
        eval_files=trained.fn_args.eval_files,
        transform_graph_path=trained.fn_args.transform_graph_path,
        base_model=trained.model,
    )
    values = {**ONE_PROCESS, "training.epochs": 2}
    sections = Sections(trained.fn_args.custom_config, values)
    return train_smaller(inputs, sections, prune, rounds, str(directory))


def read_variables(directory: Path) -> list[np.ndarray]:
    reader = tf.train.load_checkpoint(str(directory / "variables/variables"))
    names = [n for n in sorted(reader.get_variable_to_shape_map()) if n.startswith("weights")]
    return [reader.get_tensor(name) for name in names]


def test_the_saved_network_has_the_zeros_of_pruning(binary: Trained, tmp_path: Path) -> None:
    assert train(binary, tmp_path, 0.8, False) == pytest.approx(0.8, abs=0.02)
    matrices = [w for w in read_variables(tmp_path) if w.ndim == 2 and w.size > 100]
    assert len(matrices) >= 2
    for weight in matrices:
        assert (weight == 0).mean() == pytest.approx(0.8, abs=0.05)


def test_rounding_alone_leaves_no_zeros_and_saves_exact_weights(
    binary: Trained, tmp_path: Path
) -> None:
    assert train(binary, tmp_path, None, True) is None
    weights = read_variables(tmp_path)
    before = read_weights(binary.model)
    assert len(weights) == len(before)
    largest = max(weights, key=lambda w: w.size if w.ndim == 2 else 0)
    assert len(np.unique(largest)) > 300, "8 bits have 255 numbers for each column"
