"""Turns a schema that describes data into a schema that new data is validated against.

A schema has three authors. SchemaGen describes the data. The curator turns the description into
rules: which values are known, how many may be missing. A person reviews the rules in git. The later
author has precedence: in a schema from git, the curator adds only what no person should have to
write. If a model is served, its data and not the new data decide what is normal.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Literal

from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.column_settings import apply_settings
from components.schema_curator.domains import choose_domain
from components.schema_curator.rounded_codes import refuse_rounded_codes
from components.schema_curator.rules import CurationRules
from components.schema_curator.schema_defaults import fill_in_defaults
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.schema_domains import read_domain
from pipeline.config.base import dotted
from pipeline.core.errors import ConfigError

Origin = Literal["git", "served", "inferred"]
Columns = Mapping[str, ColumnSummary]

_NO_COLUMN = ColumnSummary(name="", type=schema_pb2.TYPE_UNKNOWN, rows=0, missing=0)


def curate_schema(
    base: schema_pb2.Schema,
    origin: Origin,
    observed: Columns,
    known: Columns,
    rules: CurationRules,
) -> schema_pb2.Schema:
    """Returns the schema that the data is validated against.

    Args:
      base: the schema from git, of the served model, or inferred by SchemaGen.
      origin: which of these three schemas `base` is.
      observed: the columns of the data at hand, by name.
      known: the columns of the served model's data; on a first run those of the data at hand.

    Raises:
      ConfigError: a feature or the label is neither in the schema nor in the data.
      DataError: see `refuse_rounded_codes`.
    """
    refuse_rounded_codes(observed, rules)
    schema = schema_pb2.Schema()
    schema.CopyFrom(base)
    added = _add_configured_columns(schema, observed, rules)
    for feature in schema.feature:
        if origin != "git" or feature.name in added:
            is_anew = rules.is_inferred_anew(feature.name)
            before = None if is_anew else known.get(feature.name)
            column = before or observed.get(feature.name) or _NO_COLUMN
            own: Origin = "inferred" if is_anew else origin
            inherited = read_domain(schema, feature) if own == "served" else None
            _set_rules(feature, own, column, inherited, rules)
    if origin != "git":
        _remove_shared_parts(schema)
    for feature in schema.feature:
        if feature.name != rules.label.column:
            apply_settings(schema, feature, rules.column(feature.name))
    fill_in_defaults(schema, observed, rules)
    return schema


def _add_configured_columns(
    schema: schema_pb2.Schema, observed: Columns, rules: CurationRules
) -> set[str]:
    """Declares the features and the label that the schema lacks, and returns their names."""
    known = {feature.name for feature in schema.feature}
    absent = [name for name in rules.columns() if name not in known]
    for name in absent:
        if name not in observed:
            raise _unknown_column_error(name, sorted(known | observed.keys()), rules)
        schema.feature.add(name=name, type=observed[name].type)
    return set(absent)


def _unknown_column_error(name: str, known: list[str], rules: CurationRules) -> ConfigError:
    label = {rules.label.column: "label.column", rules.label.weight_column: "label.weight_column"}
    key = label.get(name, dotted(("features", name)))
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"the data has {', '.join(known)}"
    return ConfigError(f"{key}: the data has no column '{name}'", hint)


def _set_rules(
    feature: schema_pb2.Feature,
    origin: Origin,
    column: ColumnSummary,
    inherited: list[str] | None,
    rules: CurationRules,
) -> None:
    """Sets what the curator decides anew in every run, so that changed settings take effect."""
    _set_shape(feature, column, rules)
    _set_presence(feature, column, rules)
    _clear_domain(feature, origin)
    for field in ("distribution_constraints", "in_environment", "not_in_environment"):
        feature.ClearField(field)
    if rules.uses(feature.name):
        # SchemaGen marks a column without a value in one split as deprecated.
        feature.ClearField("lifecycle_stage")
    if feature.type == schema_pb2.BYTES and feature.WhichOneof("domain_info") is None:
        domain = choose_domain(feature.name, inherited, column, rules)
        if domain is not None:
            feature.string_domain.value.extend(domain)


def _set_shape(feature: schema_pb2.Feature, column: ColumnSummary, rules: CurationRules) -> None:
    """Requires one value per row by `value_count`; a `shape` would forbid missing values too."""
    if column.values_per_row > 1 and not rules.uses(feature.name):
        return
    feature.ClearField("shape")
    feature.ClearField("value_counts")
    feature.value_count.min = feature.value_count.max = 1


def _set_presence(feature: schema_pb2.Feature, column: ColumnSummary, rules: CurationRules) -> None:
    feature.ClearField("presence")
    if feature.name == rules.label.column:
        return
    rise = rules.column(feature.name).missing_values_rise or 0.0
    tolerated = column.missing_share + rise
    if column.present:
        feature.presence.min_count = 1
    if tolerated < 1 and column.present:
        feature.presence.min_fraction = round(1 - tolerated, 6)


def _clear_domain(feature: schema_pb2.Feature, origin: Origin) -> None:
    """Removes the domain that is chosen anew. Ranges of a served schema came from git and stay."""
    kind = feature.WhichOneof("domain_info")
    chosen = ("string_domain", "domain", "bool_domain")
    if kind is not None and (origin == "inferred" or kind in chosen):
        feature.ClearField(kind)


def _remove_shared_parts(schema: schema_pb2.Schema) -> None:
    """Removes shared domains, since each column has its own, and what `fill_in_defaults` adds."""
    del schema.string_domain[:]
    del schema.default_environment[:]
    schema.tensor_representation_group.clear()
