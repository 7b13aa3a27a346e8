"""The setup of a training of trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained

from trainer_module.input.examples import Examples
from trainer_module.sections import Sections
from trainer_module.trees.setup import _find_least_loss, set_up_trees

pytestmark = pytest.mark.slow


def read(examples: Examples) -> dict[str, tf.Tensor]:
    columns = examples.layout.views(examples.load(0, examples.row_count))
    return {name: tf.constant(values) for name, values in columns.items()}


def test_only_the_columns_of_the_trees_are_read(multiclass_trees: Trained) -> None:
    sections = Sections(multiclass_trees.fn_args.custom_config)
    setup = set_up_trees(multiclass_trees.fn_args, sections)
    assert set(setup.train.spec) == {*setup.inputs.names, "_label"}
    assert setup.train.row_count == setup.evaluation.row_count == 240


def test_the_fitted_trees_have_the_loss_of_their_best_iteration(
    multiclass_trees: Trained, tmp_path: Path
) -> None:
    values = {"model.trees.iterations": 6}
    sections = Sections(multiclass_trees.fn_args.custom_config, values)
    setup = set_up_trees(multiclass_trees.fn_args, sections)
    fitted = setup.fit(sections, str(tmp_path))
    columns = read(setup.evaluation)
    losses = setup.head.loss(columns.pop("_label"), fitted.model(columns))
    best = fitted.state.epochs[fitted.best_epoch]
    assert np.mean(losses) == pytest.approx(best["eval_loss"], rel=1e-5)
    assert fitted.facts["unit"] == "iteration"
    assert sum(fitted.facts["importance_by_split"].values()) == pytest.approx(1)


def test_classes_are_learned_down_to_the_loss_that_the_eval_rows_support(
    multiclass_trees: Trained,
) -> None:
    sections = Sections(multiclass_trees.fn_args.custom_config)
    assert _find_least_loss(sections, 98) == pytest.approx(0.01)
