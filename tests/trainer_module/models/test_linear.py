"""The linear family."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_models import Trained, batch_of, untrained

from pipeline.config import ModelConfig


@pytest.mark.slow
def test_a_linear_network_starts_from_the_share_of_the_classes(binary: Trained) -> None:
    model, head, train = untrained(binary, ModelConfig(family="linear"))
    answers = model.predict(batch_of(train)[0], verbose=0)
    np.testing.assert_allclose(answers, head.bias[0], rtol=1e-6)
