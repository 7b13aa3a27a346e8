"""Explains TFDV's schema anomalies: what is wrong, what was expected and what was found.

TFDV checks one split at a time. Of a hundred rows, ten are in the eval split, where one odd value
is a tenth. So this module checks shares over the whole table, and drops an anomaly that the whole
table does not confirm.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import (
    format_some,
    format_type,
    plain_number,
    round_up_share,
)
from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.missing_values import explain_missing_values
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.distributions.noise import unseen_noise
from components.statistics_view.distributions.wording import format_share
from components.statistics_view.schema_domains import read_domain
from pipeline.config.base import dotted
from pipeline.core.commands import assignment

Reasons = Sequence[Any]
"""AnomalyInfo.Reason protos of one kind, from all splits."""


def explain_anomaly(
    kind: str, inputs: GateInputs, column: str | None, reasons: Reasons
) -> Explanation | None:
    """Returns the explanation of an anomaly, or None if the whole table does not confirm it."""
    if kind == "too_few_examples":
        return _too_few_examples(inputs, reasons)
    if column is None or (kind != "missing_column" and column not in inputs.columns):
        return _quote_tfdv(reasons)
    explainer = _EXPLAINERS.get(kind)
    explained = explainer(inputs, column) if explainer else _quote_tfdv(reasons)
    return _quote_tfdv(reasons) if explained is _UNEXPLAINED else explained


_NUMBERS = ("numeric", "bucketized")
"""The kinds of features that are numbers."""
# Marks rules that only a person can have written into the schema: TFDV's own description is used.
_UNEXPLAINED = Explanation("")
_MOST_LISTED = 5
"""New values that a command names one by one."""


def _quote_tfdv(reasons: Reasons) -> Explanation:
    sentences = dict.fromkeys(reason.description.strip().rstrip(".") for reason in reasons)
    return Explanation("; ".join(sentences))


def _missing_column(inputs: GateInputs, column: str) -> Explanation:
    declared = {feature.name for feature in inputs.schema.feature}
    new = [name for name in inputs.columns if name not in declared]
    near = difflib.get_close_matches(column, new, n=1)
    return Explanation(
        problem=f"column '{column}' is missing",
        expected=f"a column of type {format_type(inputs.schema_feature(column).type)}",
        found=f"no such column; '{near[0]}' is new" if near else "no such column",
    )


def _new_column(inputs: GateInputs, column: str) -> Explanation:
    found = inputs.columns[column]
    return Explanation(
        problem=f"column '{column}' is new",
        expected="no such column",
        found=f"a column of type {format_type(found.type)}",
        examples=found.examples(),
    )


def _wrong_type(inputs: GateInputs, column: str) -> Explanation:
    expected, found = inputs.schema_feature(column).type, inputs.columns[column]
    setting = assignment(dotted(("data", "types", column)), format_type(expected))
    # Every number can be read as a float or as text, but text cannot be read as a number. A feature
    # that wants numbers gains nothing from text.
    wants_numbers = inputs.rules.kinds.get(column) in _NUMBERS
    readable = not wants_numbers if expected == schema_pb2.BYTES else found.type == schema_pb2.INT
    return Explanation(
        problem=f"column '{column}' has another type",
        expected=format_type(expected),
        found=format_type(found.type),
        examples=_list_examples(found),
        remedy=f"`{setting}`" if readable else "",
    )


def _list_examples(column: ColumnSummary) -> tuple[str, ...]:
    """Returns examples of the column, texts that are no numbers first."""
    ranked = sorted(column.values, key=lambda v: (_is_number(v), -column.values[v], v))
    return tuple(ranked[:5]) or column.examples()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _new_category(inputs: GateInputs, column: str) -> Explanation | None:
    feature, found = inputs.schema_feature(column), inputs.columns[column]
    domain = read_domain(inputs.schema, feature)
    if domain is None or not found.present:
        return _UNEXPLAINED
    inside = sum(found.values.get(value, 0) for value in domain)
    share = 1 - inside / found.present
    derived = not inputs.is_schema_in_git and column != inputs.rules.label_column
    constraints = feature.distribution_constraints
    tolerated = 1.0 - (constraints.min_domain_mass if constraints.ByteSize() else 1.0)
    origin = ""
    if derived and column in inputs.reference_columns:
        known = inputs.reference_columns[column].present
        origin = (
            f": {format_share(tolerated)} by {_origin_of_share(inputs, column)}, and "
            f"{format_share(unseen_noise(known))} that {known:,} known rows may lack by chance"
        )
        tolerated += unseen_noise(known)
    if share <= tolerated + 1e-9:
        return None
    new = [value for value in found.examples(len(found.values)) if value not in set(domain)]
    return Explanation(
        problem=f"{format_share(share)} of the values of '{column}' are not among the known values",
        expected=f"{format_some(domain)}; others at most {format_share(tolerated)}{origin}",
        found=f"{format_share(share)} others" + (f", {len(new)} values" if len(new) > 5 else ""),
        examples=tuple(new[:5]),
        settings=_accept_values(inputs, found, new, share),
    )


def _origin_of_share(inputs: GateInputs, column: str) -> str:
    key = "new_category_share"
    if inputs.rules.validation.column(column).new_category_share is None:
        return f"`validation.{key}`"
    return f"`{dotted(('validation', 'columns', column, key))}`"


def _accept_values(
    inputs: GateInputs, found: ColumnSummary, new: Sequence[str], share: float
) -> dict[str, object]:
    """Returns the settings that accept the new values; if there are many, only their share."""
    can_be_listed = 0 < len(new) <= _MOST_LISTED and not found.is_cut_off
    if can_be_listed and found.type == schema_pb2.BYTES:
        # The option replaces the list of the configuration.
        return {"values": [*inputs.rules.validation.column(found.name).values, *new]}
    return {"new_category_share": round_up_share(share)}


def _out_of_range(inputs: GateInputs, column: str) -> Explanation:
    feature, found = inputs.schema_feature(column), inputs.columns[column]
    kind = feature.WhichOneof("domain_info")
    if kind not in ("float_domain", "int_domain") or found.low is None or found.high is None:
        return _UNEXPLAINED
    domain = getattr(feature, kind)
    low = domain.min if domain.HasField("min") else -math.inf
    high = domain.max if domain.HasField("max") else math.inf
    outside = [x for x in (found.low, found.high) if math.isinf(x) or not low <= x <= high]
    if not outside:
        return _UNEXPLAINED
    bounded = math.isfinite(low) or math.isfinite(high)
    return Explanation(
        problem=f"'{column}' has values out of range",
        expected=f"from {low:g} to {high:g}" if bounded else "finite numbers",
        found=f"from {found.low:g} to {found.high:g}",
        examples=tuple(f"{x:g}" for x in outside),
        settings=_widen(found.low, found.high, low, high),
    )


def _widen(least: float, greatest: float, low: float, high: float) -> dict[str, object]:
    """Returns the settings that widen the range to the found values; empty for infinite ones."""
    if math.isinf(least) or math.isinf(greatest):
        return {}
    below = {"minimum": plain_number(least)} if least < low else {}
    above = {"maximum": plain_number(greatest)} if greatest > high else {}
    return {**below, **above}


def _too_few_examples(inputs: GateInputs, reasons: Reasons) -> Explanation:
    least = inputs.schema.dataset_constraints.min_examples_count
    few = {s: d.num_examples for s, d in inputs.statistics.items() if d.num_examples < least}
    if not few:
        return _quote_tfdv(reasons)
    return Explanation(
        problem=f"too few examples in {' and '.join(few)}",
        expected=f"at least {least} in each split",
        found=", ".join(f"{count} in {split}" for split, count in few.items()),
    )


_EXPLAINERS: dict[str, Callable[[GateInputs, str], Explanation | None]] = {
    "missing_column": _missing_column,
    "new_column": _new_column,
    "wrong_type": _wrong_type,
    "new_category": _new_category,
    "missing_values": explain_missing_values,
    "out_of_range": _out_of_range,
}
