"""The sentence about settings of the gate that are no defaults."""

from components.anomaly_gate.own_settings import describe_own_settings
from pipeline.config.sections.validation import ValidationConfig


def test_defaults_are_not_told() -> None:
    assert describe_own_settings(ValidationConfig()) == ""
    assert describe_own_settings(ValidationConfig(severity={"drift": "stop"})) == ""


def test_other_settings_are_told_as_the_user_writes_them_and_the_rest_is_counted() -> None:
    own = ValidationConfig.model_validate(
        {
            "columns": {"a.b": {"drift": 0.15, "severity": {"drift": "warn"}}},
            "severity": {"skew": "ignore"},
        }
    )
    said = describe_own_settings(own)
    assert said.startswith("the gate does not judge by its defaults alone: validation.")
    assert 'validation.columns."a.b".drift=0.15' in said
    assert 'validation.columns."a.b".severity.drift=warn' in said
    assert "validation.severity.skew=ignore" in said
    more = own.model_copy(update={"numeric_drift": 0.9, "categorical_drift": 0.8})
    assert describe_own_settings(more).endswith(", and 2 more settings")
