"""Transform's graph as a SavedModel of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from test_export import raw_inputs
from tiny_models import Trained

from trainer_module.sections import Sections
from trainer_module.transform_module import save_transform

pytestmark = pytest.mark.slow


def test_transform_and_network_together_predict_what_the_model_predicts(
    binary: Trained, tmp_path: Path
) -> None:
    output = tft.TFTransformOutput(binary.fn_args.transform_graph_path)
    save_transform(str(tmp_path), output, Sections(binary.fn_args.custom_config).features)
    transform = tf.saved_model.load(str(tmp_path)).signatures["transform_features"]
    inputs = raw_inputs(binary, binary.splits["eval"], binary.features)
    assert set(transform.structured_input_signature[1]) == set(binary.features)
    model = tf.saved_model.load(binary.model).signatures
    transformed = transform(**inputs)
    assert set(transformed) == set(model["network"].structured_input_signature[1])
    found = model["network"](**transformed)
    expected = model["serving_default"](**inputs)["probability"]
    np.testing.assert_allclose(found["probability"], expected, atol=1e-6)
    assert np.ptp(expected) > 0.1
