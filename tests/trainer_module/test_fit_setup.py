"""Setting up a fit: the model, its data and the copies of it."""

from __future__ import annotations

import pytest
import tensorflow as tf
import tf_keras
from tiny_models import Trained

from trainer_module.fit.warm_start import variables_by_name
from trainer_module.fit_setup import set_up_fit
from trainer_module.sections import Sections

pytestmark = pytest.mark.slow


def test_all_copies_have_the_weights_of_the_model_by_name(binary: Trained) -> None:
    setup = set_up_fit(binary.fn_args, Sections(binary.fn_args.custom_config))
    names = variables_by_name(setup.model.network.weights).keys()
    assert variables_by_name(setup.build_network().weights).keys() == names
    assert variables_by_name(setup.make_copy().network.weights).keys() == names
    assert setup.warm_started == {}


def test_the_same_seed_sets_up_the_same_weights(binary: Trained) -> None:
    sections = Sections(binary.fn_args.custom_config)
    first, second = (set_up_fit(binary.fn_args, sections).model.get_weights() for _ in range(2))
    assert all((one == other).all() for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("deterministic", [False, True])
def test_operations_are_deterministic_where_the_configuration_asks(
    binary: Trained, deterministic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    enabled = []
    # For this process, TensorFlow's switch has no way back.
    monkeypatch.setattr(tf.config.experimental, "enable_op_determinism", lambda: enabled.append(1))
    values = {"training.deterministic": deterministic}
    set_up_fit(binary.fn_args, Sections(binary.fn_args.custom_config, values))
    assert enabled == [1] * deterministic


def test_the_setup_leaves_the_precision_of_keras_as_it_was(binary: Trained) -> None:
    sections = Sections(binary.fn_args.custom_config, {"training.precision": "mixed_bfloat16"})
    setup = set_up_fit(binary.fn_args, sections)
    types = {layer.compute_dtype for layer in setup.model.network.layers}
    assert "bfloat16" in types
    assert tf_keras.mixed_precision.global_policy().name == "float32"
    exported = {layer.compute_dtype for layer in setup.build_network().layers}
    assert "bfloat16" not in exported
