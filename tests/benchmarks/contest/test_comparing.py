"""The bootstrap tells real differences from chance."""

import numpy as np
import pytest

from benchmarks.contest.comparing import Bootstrap
from benchmarks.contest.metrics import measure


def some_answers(noise: float, seed: int, model: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns labels of two classes, and probabilities that predict them worse with more noise."""
    labels = np.random.default_rng(seed).integers(2, size=400)
    scores = labels + noise * np.random.default_rng([seed, model]).normal(size=400)
    return labels, 1 / (1 + np.exp(-scores))


@pytest.fixture(scope="module")
def answers() -> tuple[list[np.ndarray], dict[str, list[np.ndarray]]]:
    """Returns the labels of three seeds, and the predictions of four models."""
    noises = {"better": 1.0, "usual": 2.0, "like usual": 2.0, "worse": 4.0}
    seeds, found = (1, 2, 3), {}
    for model, (name, noise) in enumerate(noises.items()):
        found[name] = [some_answers(noise, seed, model)[1] for seed in seeds]
    return [some_answers(1.0, seed, 0)[0] for seed in seeds], found


@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_a_model_is_ahead_only_by_a_significant_difference(metric: str, answers) -> None:
    labels, found = answers
    bootstrap = Bootstrap(metric, labels, found)
    for model, verdict in (("better", "ahead"), ("like usual", "level"), ("worse", "behind")):
        difference = bootstrap.compare(model, "usual")
        assert difference.verdict == verdict, model
        assert difference.low <= difference.mean <= difference.high
        assert (abs(difference.z) > 1.9) == (verdict != "level")
    scores = {
        n: np.mean([measure("binary", *p)[metric] for p in zip(labels, found[n])]) for n in found
    }
    sign = 1 if metric == "auc" else -1
    wanted = sign * (scores["better"] - scores["usual"])
    assert bootstrap.compare("better", "usual").mean == pytest.approx(wanted)


def test_the_opposite_comparison_has_the_opposite_z(answers) -> None:
    bootstrap = Bootstrap("auc", *answers)
    first, second = bootstrap.compare("better", "usual"), bootstrap.compare("usual", "better")
    assert first.z == pytest.approx(-second.z)


def test_z_is_the_difference_in_standard_errors() -> None:
    """The mean of squared differences has the error of a mean: deviation by root of rows."""
    generator = np.random.default_rng(0)
    labels = np.zeros(2000, int)
    ours, theirs = generator.uniform(0.1, 0.5, 2000), generator.uniform(0.1, 0.5, 2000)
    gains = np.log(1 - ours) - np.log(1 - theirs)
    found = Bootstrap("log_loss", [labels], {"ours": [ours], "theirs": [theirs]})
    wanted = gains.mean() / (gains.std() / np.sqrt(2000))
    assert found.compare("ours", "theirs").z == pytest.approx(wanted, rel=0.1)


def test_equal_predictions_have_a_z_of_0() -> None:
    labels, answers = some_answers(1.0, 1, 0)
    bootstrap = Bootstrap("auc", [labels], {"one": [answers], "other": [answers]})
    assert bootstrap.compare("one", "other").z == 0
