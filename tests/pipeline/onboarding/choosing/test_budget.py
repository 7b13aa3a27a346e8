"""The time that the proposed training takes."""

from pipeline.config.sections.features import Categorical, Hashed, Numeric, Text, Timestamp
from pipeline.onboarding.choosing.budget import Budget, Load, estimate_budget, measure_load
from pipeline.onboarding.choosing.sizing import guess_size


def test_budget_adds_the_network_and_the_trees_and_promises_no_bound():
    words = Budget(network=130.0, trees=100.0).describe(2)
    assert words.startswith("training takes about 4 minutes on these 2 cores")
    assert "at most" not in words
    assert "about 1 minute on this core" in Budget(20.0, 20.0).describe(1)


def test_an_estimate_for_two_cores_is_not_said_to_be_one_for_more():
    words = Budget(network=130.0, trees=100.0).describe(16)
    assert words.startswith("training takes about 4 minutes on 2 cores (this machine has 16), or")


def test_one_core_and_more_classes_take_longer():
    size = guess_size(10_000, "multiclass")
    two = estimate_budget(size, 10_000, Load(20, 20), outputs=3)
    assert estimate_budget(size, 10_000, Load(20, 20), 3, cores=1).network > two.network
    assert estimate_budget(size, 10_000, Load(20, 20), 6).trees == 2 * two.trees
    assert estimate_budget(size, 10_000, Load(60, 20), 3).network == 3 * two.network


def test_texts_and_times_are_many_columns_and_ngrams_have_weights():
    features = {
        "number": Numeric(),
        "when": Timestamp(parts=("hour", "weekday", "date")),
        "town": Categorical(ordered=True),
        "tag": Hashed(buckets=4096, embedding_dimension=2),
        "note": Text(tfidf_buckets=1000, max_ngrams=128),
    }
    load = measure_load(features, {"town": 30, "tag": 20_000}, outputs=3, text_tokens=500)
    assert load == Load(
        features=5,
        tree_columns=1 + 3 + 2 + 1 + 251,
        tokens=64,
        ngrams=128,
        weights=30 * 11 + 4096 * 2 + 10_000 * 16 + 1000 * 3,
    )
    size = guess_size(10_000, "multiclass")
    plain = estimate_budget(size, 10_000, Load(5, 5), 3)
    found = estimate_budget(size, 10_000, load, 3)
    assert found.network > plain.network
    assert found.trees > 20 * plain.trees


def test_all_epochs_of_a_table_of_numbers_take_as_long_as_was_measured():
    """A fit of bikes took 41 seconds for half of these steps (docs/quality.md)."""
    for rows in (6900, 1_000_000):
        network = estimate_budget(guess_size(rows, "regression"), rows, Load(12, 12), 1).network
        assert 60 < network < 120
