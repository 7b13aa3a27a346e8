"""Settings of one column replace those of all columns."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pipeline.config import ValidationConfig


def test_a_column_has_its_own_severity() -> None:
    own = {"fare": {"severity": {"drift": "ignore"}, "reference": "none"}}
    validation = ValidationConfig.model_validate({"columns": own, "severity": {"skew": "stop"}})
    assert validation.severity_of("drift", "fare") == "ignore"
    assert validation.severity_of("drift", "other") == "stop"
    assert validation.severity_of("skew", "fare") == "stop"
    assert validation.severity_of("too_few_examples", None) == "stop"
    assert validation.not_compared() == ("fare",)


def test_no_settings_of_columns_leave_the_json_of_earlier_versions() -> None:
    assert "columns" not in ValidationConfig().to_json()


@pytest.mark.parametrize(
    "own", [{"minimum": 2, "maximum": 1}, {"drift": 2}, {"severity": {"a": 1}}]
)
def test_settings_that_cannot_be_are_refused(own: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ValidationConfig.model_validate({"columns": {"fare": own}})
