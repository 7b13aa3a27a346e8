"""The rules of the gate are read from the configuration."""

from deliveries import FARE, PAY, config, gate_rules

from components.statistics_view.gate_rules import GateRules

RULES = gate_rules(config())


def test_features_and_label_are_compared_but_timestamps_and_other_columns_are_not() -> None:
    compared = [RULES.is_compared(name) for name in (FARE, PAY, "y", "when", "tip")]
    assert compared == [True, True, True, False, False]


def test_only_categorical_features_are_categories() -> None:
    assert RULES.is_category(PAY)
    assert not RULES.is_category(FARE)


def test_the_rules_are_read_back_from_their_json() -> None:
    assert GateRules.model_validate_json(RULES.to_json()) == RULES
