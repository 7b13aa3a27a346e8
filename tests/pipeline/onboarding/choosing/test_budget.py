"""The time that the proposed training takes."""

from pipeline.onboarding.choosing.budget import Budget, estimate_budget
from pipeline.onboarding.choosing.sizing import guess_size


def test_budget_adds_the_network_and_the_trees():
    words = Budget(network=130.0, trees=100.0).describe(2)
    assert "about 4 minutes at most on these 2 cores" in words
    assert "about 1 minute at most on this core" in Budget(20.0, 20.0).describe(1)


def test_one_core_and_more_classes_take_longer():
    size = guess_size(10_000, "multiclass")
    two = estimate_budget(size, 10_000, columns=20, classes=3)
    assert estimate_budget(size, 10_000, 20, 3, cores=1).network > two.network
    assert estimate_budget(size, 10_000, 20, 6).trees == 2 * two.trees
    assert estimate_budget(size, 10_000, 60, 3).network == 3 * two.network
