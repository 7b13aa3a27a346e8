"""Pydantic's errors say what the value must be, in the words of YAML, and quote the value."""

import pytest
from pydantic import ValidationError

from pipeline.config import TrainingConfig
from pipeline.config.problems import describe_problem


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("epochs", "abc", "must be a whole number, not 'abc'"),
        ("epochs", 2.5, "must be a whole number, not 2.5"),
        ("epochs", 0, "must be greater than or equal to 1, not 0"),
        ("learning_rate", "fast", "must be a number, not 'fast'"),
        ("deterministic", "perhaps", "must be true or false, not 'perhaps'"),
        ("recovery", 3, "must be a mapping of keys to values, not 3"),
        ("strategy", "all", ", not 'all'"),
        ("class_weights", {}, "at least one class needs a weight above 0"),
    ],
)
def test_a_wrong_value_is_told_what_it_must_be(key: str, value: object, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TrainingConfig.model_validate({key: value})
    problem = describe_problem(caught.value.errors()[0])
    assert problem.endswith(words)
    assert "should" not in problem
    assert "parse" not in problem
