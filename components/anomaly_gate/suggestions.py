"""Suggests how to accept a finding, for data that is right although it is not as expected."""

from __future__ import annotations

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import round_up_share
from components.anomaly_gate.gate_inputs import GateInputs

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
# These kinds do not compare with the served model: a new reference would not change them.
_INDEPENDENT_OF_REFERENCE = ("out_of_range", "skew")


def suggest_acceptance(
    kind: str, column: str | None, explanation: Explanation, inputs: GateInputs
) -> str:
    """Returns the ways to accept the finding, as one sentence, the most lasting way first."""
    ways = [explanation.remedy, _suggest_new_expectation(kind, column, explanation, inputs)]
    if explanation.tolerance is not None:
        key, value = explanation.tolerance
        ways.append(f"`--set {key}={round_up_share(value):g}`")
    # A finding that only warns would warn again with the severity `warn`.
    severity = getattr(inputs.rules.validation.severity, kind)
    ways.append(f"`--set validation.severity.{kind}={'ignore' if severity == 'warn' else 'warn'}`")
    choice = ", or ".join(way for way in ways if way)
    # Transform needs every feature, so accepting the finding alone would not be enough.
    is_feature = kind == "missing_column" and column in inputs.rules.kinds
    return f"take it out of features; then {choice}" if is_feature else choice


def _suggest_new_expectation(
    kind: str, column: str | None, explanation: Explanation, inputs: GateInputs
) -> str:
    """Returns how to make this data the expected data; empty if there is no such way."""
    rules = inputs.rules
    if column == rules.label_column and kind in _CHANGE_OF_LABEL:
        return _CHANGE_OF_LABEL[kind]
    # A tolerance comes from the configuration, not from the schema in git.
    if inputs.is_schema_in_git and kind in _CHANGE_IN_SCHEMA and explanation.tolerance is None:
        return _CHANGE_IN_SCHEMA[kind].format(path=rules.schema_.path)
    if inputs.reference is not None and kind not in _INDEPENDENT_OF_REFERENCE:
        return "run once with `--set schema.reference=none`"
    return ""
