"""The parts of a blend are the models that would be trained alone."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.contest import ours
from benchmarks.contest.ours import NETWORK_ALONE, OURS, TREES_ALONE, make_setup

CONFIG = Path(__file__).parents[3] / "configs/penguins.yaml"
BLEND = (
    "model.family=blend",
    "model.blend.network=wide_deep",
    "training.epochs=5",
    "model.trees.iterations=100",
    "model.trees.learning_rate=0.3",
)


@pytest.mark.slow
@pytest.mark.long
def test_a_part_predicts_what_the_same_model_trained_alone_predicts(tmp_path: Path) -> None:
    setup = make_setup(CONFIG, 1, BLEND, tmp_path / "run")
    trained = ours.train(setup)
    answers = {name: result.answers for name, result in trained.results.items()}
    weights = {part["part"]: part["weight"] for part in trained.parts}
    assert 0 < weights["network"] < 1, "else the test compares less than it says"
    mean = weights["network"] * answers[NETWORK_ALONE] + weights["trees"] * answers[TREES_ALONE]
    np.testing.assert_allclose(answers[OURS], mean, atol=1e-5)
    for name, family in ((NETWORK_ALONE, "wide_deep"), (TREES_ALONE, "trees")):
        alone = setup.with_family(family)
        ours._train_alone(alone)
        found = ours._ask_models(alone, {name: ours._find_model(setup.run)}, {})
        np.testing.assert_allclose(answers[name], found[name], atol=1e-5)
