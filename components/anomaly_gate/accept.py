"""How to go on if the data is right and the expectation is not."""

from __future__ import annotations

from components.anomaly_gate.evidence import Evidence
from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.words import round_up

_IN_SCHEMA = {
    "missing_column": "remove it from {path}",
    "new_column": "add it to {path}",
    "wrong_type": "change its type in {path}",
    "new_category": "add the values to its domain in {path}",
    "missing_values": "lower its presence in {path}",
    "out_of_range": "widen its range in {path}",
    "too_few_examples": "lower dataset_constraints.min_examples_count in {path}",
    "other": "change it in {path}",
}


def ways_to_accept(
    kind: str, column: str | None, explanation: Explanation, evidence: Evidence
) -> str:
    """What to change or type, the most lasting way first."""
    ways = [explanation.remedy] if explanation.remedy else []
    about_schema = kind in _IN_SCHEMA and explanation.tolerance is None
    if evidence.in_git and about_schema:
        ways.append(_IN_SCHEMA[kind].format(path=evidence.rules.schema_.path))
    elif kind == "new_category" and column == evidence.rules.label:
        ways.append("add the values to label.classes")
    elif evidence.reference is not None and kind != "skew":
        ways.append("run once with `--set schema.reference=none`")
    if explanation.tolerance is not None:
        key, value = explanation.tolerance
        ways.append(f"`--set {key}={round_up(value):g}`")
    ways.append(f"`--set validation.severity.{kind}=warn`")
    return ", or ".join(ways)
