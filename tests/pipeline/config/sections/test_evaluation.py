"""The section `evaluation`."""

import pytest
from pydantic import ValidationError

from pipeline.config import EvaluationConfig, Threshold
from pipeline.config.sections.evaluation import describe_bounds


def test_a_threshold_on_f1_bounds_every_class_or_the_one_it_names() -> None:
    classes = ("a", "b", "c")
    assert Threshold(metric="f1", at_least=0.5).classes(classes) == classes
    assert Threshold(metric="f1", at_least=0.5, class_name="b").classes(classes) == ("b",)
    assert Threshold(metric="accuracy", at_least=0.5).classes(classes) == (None,)
    assert Threshold(metric="f1", at_least=0.5).classes(("no", "yes")) == (None,)


def test_a_threshold_without_a_bound_is_refused() -> None:
    with pytest.raises(ValidationError, match="needs at_least, at_most or may_worsen_by"):
        Threshold(metric="auc")
    with pytest.raises(ValidationError, match="at_least is above at_most"):
        Threshold(metric="auc", at_least=0.9, at_most=0.8)


def test_thresholds_on_change_alone_are_refused() -> None:
    with pytest.raises(ValidationError, match="at least one threshold needs at_least or at_most"):
        EvaluationConfig(thresholds=(Threshold(metric="auc", may_worsen_by=0.1),))


def test_bounds_are_described_in_words() -> None:
    assert describe_bounds(at_least=0.7, may_worsen_by=0.01) == "at least 0.7, may worsen by 0.01"
    assert describe_bounds() == ""
