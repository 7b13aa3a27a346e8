"""Columns that belong together have the same kind."""

import numpy as np

RANDOM = np.random.default_rng(4)


def kinds_of(propose, signal, table):
    features = propose({**signal(1000), **table}).config.features
    return {name: features[name].kind for name in table}


def test_numbered_columns_have_the_kind_of_most(propose, signal):
    wide = {f"pixel_{i}": RANDOM.integers(0, 17, 1000) for i in range(4)}
    kinds = kinds_of(propose, signal, {**wide, "pixel_4": RANDOM.integers(0, 6, 1000)})
    assert set(kinds.values()) == {"numeric"}
    few = {f"answer {i}": RANDOM.integers(1, 11, 1000) for i in range(4)}
    kinds = kinds_of(propose, signal, {**few, "answer 4": RANDOM.integers(1, 12, 1000)})
    assert set(kinds.values()) == {"categorical"}


def test_columns_that_differ_in_a_word_are_siblings_only_with_like_values(propose, signal):
    alike = {"home_goals": RANDOM.integers(0, 12, 1000), "away_goals": RANDOM.integers(0, 9, 1000)}
    assert set(kinds_of(propose, signal, alike).values()) == {"numeric"}
    other = {"home_goals": RANDOM.integers(0, 500, 1000), "away_goals": RANDOM.integers(0, 9, 1000)}
    kinds = kinds_of(propose, signal, other)
    assert kinds == {"home_goals": "numeric", "away_goals": "categorical"}
