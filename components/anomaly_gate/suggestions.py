"""Suggests how to accept a finding, for data that is right although it is not as expected.

A user who gets one command runs that command. So the suggested setting accepts this finding and no
other one: it names the column, and is as tight as the found data.
"""

from __future__ import annotations

import json

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.gate_inputs import GateInputs
from pipeline.config.base import dotted
from pipeline.core.commands import assignment

_CHANGE_IN_SCHEMA = {
    "missing_column": "remove it from {path}",
    "new_column": "add it to {path}",
    "wrong_type": "change its type in {path}",
    "new_category": "add the values to its domain in {path}",
    "missing_values": "lower its presence in {path}",
    "out_of_range": "widen its range in {path}",
    "too_few_examples": "lower dataset_constraints.min_examples_count in {path}",
    "other": "change it in {path}",
}
_CHANGE_OF_LABEL = {
    "missing_column": "name the label in label.column",
    "new_category": "add the values to label.classes",
    "missing_values": "leave out the rows without a label",
}
# The served model's data is what these kinds are compared with, column by column.
_OF_THE_REFERENCE = ("missing_column", "new_column", "wrong_type", "missing_values", "other")


def suggest_acceptance(
    kind: str, column: str | None, explanation: Explanation, inputs: GateInputs
) -> str:
    """Returns the ways to accept the finding and no other one, as one sentence."""
    ways = (
        _change_by_hand(kind, column, explanation, inputs),
        explanation.remedy or f"`{_set(kind, column, explanation, inputs)}`",
    )
    choice = ", or ".join(way for way in ways if way)
    # Transform needs every feature, so accepting the finding alone would not be enough.
    is_feature = kind == "missing_column" and column in inputs.rules.kinds
    return f"take it out of features; then {choice}" if is_feature else choice


def _change_by_hand(
    kind: str, column: str | None, explanation: Explanation, inputs: GateInputs
) -> str:
    """Returns the lasting change that no option can make; empty if there is none."""
    rules = inputs.rules
    if column == rules.label_column and kind in _CHANGE_OF_LABEL:
        return _CHANGE_OF_LABEL[kind]
    is_of_schema = not explanation.against and kind in _CHANGE_IN_SCHEMA
    if inputs.is_schema_in_git and is_of_schema:
        return _CHANGE_IN_SCHEMA[kind].format(path=rules.schema_.path)
    return ""


def _set(kind: str, column: str | None, explanation: Explanation, inputs: GateInputs) -> str:
    """Returns the options that accept the finding, as tight as the found data."""
    # A finding that only warns would warn again with the severity `warn`.
    severity = inputs.rules.validation.severity_of(kind, column)
    lower = "ignore" if severity == "warn" else "warn"
    if column is None:
        return assignment(f"validation.severity.{kind}", lower)
    if column == inputs.rules.label_column and kind in _CHANGE_OF_LABEL:
        return _assign(column, f"severity.{kind}", lower)
    if explanation.settings:
        return " ".join(_assign(column, key, v) for key, v in explanation.settings.items())
    is_served = inputs.reference is not None and not inputs.is_schema_in_git
    if is_served and kind in _OF_THE_REFERENCE:
        return _assign(column, "reference", "none")
    return _assign(column, f"severity.{kind}", lower)


def _assign(column: str, setting: str, value: object) -> str:
    key = dotted(("validation", "columns", column, *setting.split(".")))
    is_text = isinstance(value, str)
    return assignment(key, value if is_text else json.dumps(value, ensure_ascii=False))
