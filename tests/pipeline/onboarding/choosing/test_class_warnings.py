"""Warnings of classes with few rows."""

import numpy as np

from pipeline.config import SplitConfig
from pipeline.onboarding.choosing.class_warnings import warn_of_classes
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.label import Label


def warnings_of(train, eval_, test, is_estimate=False):
    """Warns of the classes a, b, ... with these rows."""
    counts = np.array([train, eval_, test])
    classes = tuple("abcdefghijklmnop"[: len(train)])
    rows = tuple(counts.sum(axis=0).tolist())
    label = Label("y", Guess("multiclass", ""), Guess(classes, ""), rows, Guess(0.05, ""))
    return warn_of_classes(label, SplitCounts(SplitConfig(), counts, is_estimate=is_estimate))


def test_each_class_is_named_once():
    warnings = warnings_of([800, 1, 5, 40, 300], [100, 0, 2, 5, 40], [100, 0, 2, 5, 40])
    assert warnings == [
        "classes too rare for every split: no row of 'b' in eval and test",
        "y: classes with few rows are hard to learn and to measure: 'c' (9)",
    ]


def test_rows_that_were_not_divided_are_not_said_to_be_in_a_split():
    warnings = warnings_of([800, 1], [100, 0], [100, 0], is_estimate=True)
    assert warnings == ["y: classes with few rows may be missing from a split: 'b' (1)"]


def test_scarce_class_is_named_with_its_share():
    (warning,) = warnings_of([8000, 20, 21], [1000, 5, 5], [1000, 5, 5])
    assert warning == "y: only 0.3 % of the rows are of class 'b'; 1 more class is scarce"


def test_long_lists_are_cut():
    (warning,) = warnings_of([500] + [1] * 7, [100] + [1] * 7, [100] + [1] * 7)
    assert warning.endswith("'f' (3), and 2 more classes")
