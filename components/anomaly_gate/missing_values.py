"""Checks whether more values of a column are missing than schema and reference allow."""

from __future__ import annotations

from dataclasses import replace

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import round_up_share
from components.anomaly_gate.gate_inputs import GateInputs
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.wording import format_share
from components.statistics_view.missing_rise import find_missing_limit
from pipeline.config.base import dotted

_SETTING = "missing_values_rise"


def explain_missing_values(inputs: GateInputs, column: str) -> Explanation | None:
    """Returns the first limit that the column exceeds over all splits, or None."""
    found = inputs.columns.get(column)
    if found is None or not found.missing:
        return None
    return (
        _check_against_schema(inputs, found)
        or _check_against_reference(inputs, found)
        or _check_for_any_value(inputs, found)
    )


def _check_against_schema(inputs: GateInputs, found: ColumnSummary) -> Explanation | None:
    """Checks the presence that a person wrote into the schema, and the label, without tolerance.

    Other presence in the schema was derived from the reference by the curator, and
    `_check_against_reference` checks that.
    """
    presence = inputs.schema_feature(found.name).presence
    if not inputs.is_schema_in_git and found.name != inputs.rules.label_column:
        return None
    if found.missing_share > 1 - presence.min_fraction + 1e-9 and presence.HasField("min_fraction"):
        return _explain(found, f"at most {format_share(1 - presence.min_fraction)}")
    if found.present < presence.min_count:
        return _explain(found, f"at least {presence.min_count} values")
    return None


def _check_against_reference(inputs: GateInputs, found: ColumnSummary) -> Explanation | None:
    """Checks whether the share rose by more than the configured rise and chance allow."""
    before = inputs.reference_columns.get(found.name)
    if before is None or not before.rows:
        return None
    rise = found.missing_share - before.missing_share
    key, tolerated = _find_tolerance(inputs, found.name)
    limit = find_missing_limit(found, before, tolerated, len(inputs.reference_columns))
    if found.missing_share <= limit:
        return None
    noise = limit - before.missing_share - tolerated
    parts = (
        f"{format_share(before.missing_share)} in the data of {inputs.served}, "
        f"{format_share(tolerated)} more by `{key}`, and {format_share(noise)} that chance "
        f"explains in {found.rows:,} and {before.rows:,} rows"
    )
    explanation = _explain(found, f"at most {format_share(min(1.0, limit))}: {parts}")
    settings = {_SETTING: round_up_share(rise)}
    return replace(explanation, settings=settings, against=inputs.served)


def _find_tolerance(inputs: GateInputs, column: str) -> tuple[str, float]:
    """Returns the configuration key of the tolerated rise, and the rise."""
    validation = inputs.rules.validation
    own = validation.column(column).missing_values_rise
    if own is None:
        return f"validation.{_SETTING}", validation.missing_values_rise
    return dotted(("validation", "columns", column, _SETTING)), own


def _check_for_any_value(inputs: GateInputs, found: ColumnSummary) -> Explanation | None:
    """Checks whether a column that had values has no values at all, unless by chance."""
    before = inputs.reference_columns.get(found.name)
    if found.present or before is None or not before.rows:
        return None
    if before.missing_share**found.rows > _false_alarm_probability(inputs):
        return None
    return replace(_explain(found, "some values"), against=inputs.served)


def _false_alarm_probability(inputs: GateInputs) -> float:
    """Returns the allowed probability of a false alarm for one of the compared columns."""
    return FALSE_ALARMS / max(1, len(inputs.reference_columns))


def _explain(found: ColumnSummary, expected: str) -> Explanation:
    return Explanation(
        problem=f"{format_share(found.missing_share)} of the values of '{found.name}' are missing",
        expected=expected,
        found=f"{format_share(found.missing_share)} ({found.missing} of {found.rows} rows)",
    )
