"""Chooses which columns are compared, and how far their distributions may lie apart."""

from __future__ import annotations

from typing import Literal

from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.distributions.pairs import MEASURES, Thresholds
from components.statistics_view.gate_rules import GateRules


def choose_thresholds(
    schema: schema_pb2.Schema,
    rules: GateRules,
    comparator: Literal["drift_comparator", "skew_comparator"],
) -> dict[str, Thresholds]:
    """Returns the tolerated distance of each compared column, by measure.

    The column's own setting decides, then a comparator in the schema, which a person wrote. Without
    either, the features and
    the label are compared: categories by the greatest difference of the shares of a value, numbers
    by their histograms.
    """
    result: dict[str, Thresholds] = {}
    for feature in schema.feature:
        wanted = getattr(feature, comparator)
        explicit = {m: getattr(wanted, m).threshold for m in MEASURES if wanted.HasField(m)}
        own = rules.validation.column(feature.name)
        if comparator == "drift_comparator" and own.reference == "none":
            continue
        if explicit:
            result[feature.name] = explicit
        elif rules.is_compared(feature.name):
            result[feature.name] = _default_threshold(feature, rules)
        tolerated = own.drift if comparator == "drift_comparator" else own.skew
        if tolerated is not None and feature.name in result:
            result[feature.name] = dict.fromkeys(result[feature.name], tolerated)
    return result


def _default_threshold(feature: schema_pb2.Feature, rules: GateRules) -> Thresholds:
    is_code = feature.type == schema_pb2.INT and rules.is_category(feature.name)
    if feature.type == schema_pb2.BYTES or is_code:
        return {"infinity_norm": rules.validation.categorical_drift}
    return {"jensen_shannon_divergence": rules.validation.numeric_drift}
