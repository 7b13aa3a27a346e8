"""Members of an ensemble: their own outputs in training, one output otherwise."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from support import with_long
from tiny_models import build_untrained, read_all_rows

from pipeline.config import ModelConfig
from trainer_module.models.ensemble import OwnDense, SharedDense


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", with_long(["binary", "multiclass", "regression"], ["binary", "regression"])
)
def test_members_have_their_own_outputs_in_training_and_their_mean_otherwise(
    task: str, request: pytest.FixtureRequest
) -> None:
    config = ModelConfig(family="ensemble", hidden_units=(8,), members=3)
    model, head, train = build_untrained(request.getfixturevalue(task), config)
    columns, _ = read_all_rows(train)
    each, together = model(columns, training=True), model(columns, training=False)
    assert each.shape == (240, 3, head.units)
    assert together.shape == (240, head.units)
    [(_, mean), *_] = head.predictions(together).items()
    members = [next(iter(head.predictions(each[:, i]).values())) for i in range(3)]
    assert np.ptp(members, axis=0).max() > 0
    np.testing.assert_allclose(np.mean(members, axis=0), mean, rtol=1e-4)


def test_members_share_a_kernel_and_scale_its_inputs_and_outputs() -> None:
    layer = SharedDense(2, "ones", name="shared")
    inputs = tf.constant([[[1.0, 2.0], [3.0, 4.0]]])
    layer(inputs)
    kernel = np.array([[1, 2], [3, 4]])
    before, after, bias = np.array([[1, 1], [2, 0]]), np.array([[1, 1], [10, 1]]), np.ones([2, 2])
    layer.set_weights([kernel, before, after, bias])
    # Member 2: ([3, 4] * [2, 0]) @ kernel * [10, 1] + 1.
    np.testing.assert_allclose(layer(inputs), [[[8, 11], [61, 13]]])


def test_each_member_has_its_own_last_layer_and_starts_from_the_bias() -> None:
    layer = OwnDense(1, [0.5], name="heads")
    outputs = layer(tf.zeros([3, 4, 2]))
    np.testing.assert_allclose(outputs, np.full([3, 4, 1], 0.5))
    kernels = layer.get_weights()[0]
    assert len({kernel.tobytes() for kernel in kernels}) == 4
