"""Outputs of a part for a whole split."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained

from trainer_module.blend import outputs
from trainer_module.blend.outputs import compute_outputs
from trainer_module.sections import Sections
from trainer_module.trees.setup import set_up_trees

pytestmark = pytest.mark.slow


def test_all_rows_are_computed_in_their_order_however_many_at_once(
    multiclass_blend: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = set_up_trees(multiclass_blend.fn_args, Sections(multiclass_blend.fn_args.custom_config))

    def first_columns(transformed: dict[str, tf.Tensor], training: bool = False) -> tf.Tensor:
        return setup.inputs(transformed)[:, :2]

    whole = compute_outputs(first_columns, setup.evaluation)
    assert whole.shape == (setup.evaluation.row_count, 2)
    monkeypatch.setattr(outputs, "_MOST_ROWS", 7)
    np.testing.assert_array_equal(compute_outputs(first_columns, setup.evaluation), whole)
