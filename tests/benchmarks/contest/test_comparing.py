"""The bootstrap and the combined seeds tell real differences from chance."""

import math

import numpy as np
import pytest

from benchmarks.contest.comparing import Bootstrap, Difference, combine_seeds, subtract
from benchmarks.contest.metrics import make_metric, measure

SEEDS = (1, 2, 3)


def some_answers(noise: float, seed: int, model: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns labels of two classes, and probabilities that predict them worse with more noise."""
    labels = np.random.default_rng(seed).integers(2, size=400)
    scores = labels + noise * np.random.default_rng([seed, model]).normal(size=400)
    return labels, 1 / (1 + np.exp(-scores))


def compare(metric: str, ours: str, theirs: str) -> Difference:
    """Compares two of four models over three seeds."""
    noises = {"better": 1.0, "usual": 2.0, "like usual": 2.0, "worse": 4.0}
    differences, errors = [], []
    for seed in SEEDS:
        labels = some_answers(1.0, seed, 0)[0]
        answers = {
            n: some_answers(noise, seed, m)[1] for m, (n, noise) in enumerate(noises.items())
        }
        scores = {n: measure("binary", labels, each)[metric] for n, each in answers.items()}
        differences.append(subtract(metric, scores[ours], scores[theirs]))
        errors.append(Bootstrap(metric, labels, answers).find_error(ours, theirs))
    return combine_seeds(differences, errors)


@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_a_model_is_ahead_only_by_a_significant_difference(metric: str) -> None:
    for model, verdict in (("better", "ahead"), ("like usual", "level"), ("worse", "behind")):
        difference = compare(metric, model, "usual")
        assert difference.verdict == verdict, model
        assert difference.low < difference.mean < difference.high
        assert (abs(difference.z) > 1.96) == (verdict != "level")


def test_the_opposite_comparison_has_the_opposite_z() -> None:
    first, second = compare("auc", "better", "usual"), compare("auc", "usual", "better")
    assert first.z == pytest.approx(-second.z)


def test_the_error_of_one_seed_is_that_of_a_mean_over_rows() -> None:
    """The mean of differences has the error of a mean: deviation by root of rows."""
    generator = np.random.default_rng(0)
    labels = np.zeros(2000, int)
    ours, theirs = generator.uniform(0.1, 0.5, 2000), generator.uniform(0.1, 0.5, 2000)
    gains = np.log(1 - ours) - np.log(1 - theirs)
    bootstrap = Bootstrap("log_loss", labels, {"ours": ours, "theirs": theirs})
    wanted = gains.std() / np.sqrt(2000)
    assert bootstrap.find_error("ours", "theirs") == pytest.approx(wanted, rel=0.1)


def test_combined_seeds_have_the_error_of_a_bootstrap_over_seeds_and_rows() -> None:
    """What is kept of a seed is enough: a bootstrap of all predictions has the same error."""
    generator = np.random.default_rng(0)
    differences, errors, samples = [], [], []
    for seed in range(3):
        gains = generator.normal(0.1 * seed, 1 + seed, 500)
        differences.append(gains.mean())
        errors.append(gains.std() / math.sqrt(500))
        samples.append([generator.choice(gains, 500).mean() for _ in range(2000)])
    drawn = generator.integers(3, size=(20_000, 3))
    means = np.array(samples)[drawn, generator.integers(2000, size=drawn.shape)].mean(axis=1)
    found = combine_seeds(differences, errors)
    assert found.mean == pytest.approx(np.mean(differences))
    assert found.error == pytest.approx(means.std(), rel=0.05)


def test_the_rows_alone_leave_the_variance_between_seeds_out() -> None:
    both = combine_seeds([1.0, 3.0], [0.5, 0.5])
    rows = combine_seeds([1.0, 3.0], [0.5, 0.5], of_rows_alone=True)
    assert both.mean == rows.mean == 2
    assert both.error == pytest.approx(((0.25 + 1) / 2) ** 0.5)
    assert rows.error == pytest.approx((0.25 / 2) ** 0.5)


def test_equal_predictions_have_a_z_of_0() -> None:
    labels, answers = some_answers(1.0, 1, 0)
    error = Bootstrap("auc", labels, {"one": answers, "other": answers}).find_error("one", "other")
    assert combine_seeds([0.0], [error]).z == 0


def test_samples_without_one_of_the_classes_are_left_out() -> None:
    """With one positive row of ten, a third of the samples have none."""
    labels = np.array([1] + [0] * 9)
    answers = np.linspace(0, 1, 10)
    assert math.isnan(make_metric("auc", labels, answers)(1.0 - labels))
    bootstrap = Bootstrap("auc", labels, {"one": answers, "other": 1 - answers})
    assert bootstrap.find_error("one", "other") >= 0
