"""How alike the labels of rows with the same value are."""

import numpy as np
import pytest

from pipeline.onboarding.choosing.agreement import measure_agreement

RANDOM = np.random.default_rng(5)
KEYS = np.repeat(np.arange(400), 5)


def agreement_of(to_columns, keys, labels):
    columns = to_columns({"y": [str(v) for v in labels], "k": [f"k{v}" for v in keys]})
    return measure_agreement(columns["k"], columns["y"])


def test_correlation_is_the_share_of_the_variance_between_the_keys(to_columns):
    labels = RANDOM.normal(size=400)[KEYS] + RANDOM.normal(size=len(KEYS))
    found = agreement_of(to_columns, KEYS, labels)
    assert found.correlation == pytest.approx(0.5, abs=0.06)
    assert found.certainty > 5


def test_classes_agree_as_well(to_columns):
    labels = RANDOM.choice(["a", "b", "c"], 400)[KEYS]
    assert agreement_of(to_columns, KEYS, labels).correlation > 0.99


def test_chance_makes_no_agreement(to_columns):
    found = agreement_of(to_columns, KEYS, RANDOM.choice(["a", "b"], len(KEYS)))
    assert abs(found.correlation) < 0.05
    assert found.certainty < 4


def test_values_that_all_differ_agree_with_nothing(to_columns):
    assert agreement_of(to_columns, np.arange(50), [0, 1] * 25).certainty == 0
