"""Turns TFDV's anomalies and the distances of distributions into findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensorflow_metadata.proto.v0 import anomalies_pb2

from components.anomaly_gate.drift import explain_drift, explain_skew
from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.far_values import explain_far_values
from components.anomaly_gate.finding_kinds import find_kind
from components.anomaly_gate.gate_inputs import GateInputs, ReadColumn
from components.anomaly_gate.schema_anomalies import explain_anomaly
from components.anomaly_gate.suggestions import suggest_acceptance
from components.findings.findings import Findings
from pipeline.core.events import Finding

_SEVERITIES = ("stop", "warn", "ignore")

Anomalies = Mapping[str, anomalies_pb2.Anomalies]
"""The anomalies of ExampleValidator by split."""
_Key = tuple[str | None, str]
_Reasons = dict[_Key, tuple[list[str], list[Any]]]


def make_findings(inputs: GateInputs, anomalies: Anomalies, read_column: ReadColumn) -> Findings:
    """Returns all findings that are not ignored, those of severity stop first."""
    found = [
        *_schema_findings(inputs, anomalies),
        *_distance_findings(inputs),
        *_far_findings(inputs, read_column),
    ]
    kept = [finding for finding in found if finding.severity != "ignore"]
    kept.sort(key=lambda f: (_SEVERITIES.index(f.severity), f.column or "", f.kind))
    return Findings(inputs.checked_against, tuple(kept))


def _schema_findings(inputs: GateInputs, anomalies: Anomalies) -> Iterator[Finding]:
    grouped = _group_reasons(anomalies)
    # TFDV does not compare shares of missing values, and counts NaN as a value. So every column is
    # checked for missing values.
    for name in sorted(inputs.columns):
        grouped.setdefault((name, "missing_values"), (list(inputs.statistics), []))
    for (column, kind), (splits, reasons) in grouped.items():
        explanation = explain_anomaly(kind, inputs, column, reasons)
        if explanation is not None:
            yield _make_finding(kind, column, splits, explanation, inputs)


def _distance_findings(inputs: GateInputs) -> Iterator[Finding]:
    for kind, distances in (("drift", explain_drift), ("skew", explain_skew)):
        for column, splits, explanation in distances(inputs):
            yield _make_finding(kind, column, splits, explanation, inputs)


def _far_findings(inputs: GateInputs, read_column: ReadColumn) -> Iterator[Finding]:
    for column, splits, explanation in explain_far_values(inputs, read_column):
        yield _make_finding("far_values", column, splits, explanation, inputs)


def _group_reasons(anomalies: Anomalies) -> _Reasons:
    """Returns TFDV's reasons by column and kind, with the splits that they come from."""
    grouped: _Reasons = {}
    for split, column, reason in _iter_reasons(anomalies):
        splits, reasons = grouped.setdefault((column, find_kind(reason)), ([], []))
        if split not in splits:
            splits.append(split)
        reasons.append(reason)
    return grouped


def _iter_reasons(anomalies: Anomalies) -> Iterator[tuple[str, str | None, Any]]:
    for split, found in anomalies.items():
        for info in (*found.anomaly_info.values(), found.dataset_anomaly_info):
            # The path has the exact name; TFDV quotes the key of the map if it has dots or blanks.
            column = ".".join(info.path.step) or None
            for reason in info.reason:
                yield split, column, reason


def _make_finding(
    kind: str,
    column: str | None,
    splits: list[str] | tuple[str, ...],
    explanation: Explanation,
    inputs: GateInputs,
) -> Finding:
    return Finding(
        column=column,
        kind=kind,
        severity=inputs.rules.validation.severity_of(kind, column),
        splits=tuple(splits),
        problem=explanation.problem,
        expected=explanation.expected,
        found=explanation.found,
        examples=explanation.examples,
        accept=suggest_acceptance(kind, column, explanation, inputs),
        against=explanation.against or inputs.checked_against,
    )
