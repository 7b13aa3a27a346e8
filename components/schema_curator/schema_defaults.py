"""Adds to a schema what every curated schema needs, and leaves what is already there."""

from __future__ import annotations

from collections.abc import Mapping

from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.schema_domains import read_domain
from pipeline.core.contracts import MISSING_FLOAT, MISSING_INT, MISSING_STRING

# The name of the group that TFXIO reads.
_GROUP = ""
_TRAINING = "TRAINING"
_SERVING = "SERVING"
_UNREAD = (schema_pb2.PLANNED, schema_pb2.ALPHA, schema_pb2.DEPRECATED, schema_pb2.DEBUG_ONLY)


def fill_in_defaults(
    schema: schema_pb2.Schema, observed: Mapping[str, ColumnSummary], rules: CurationRules
) -> None:
    """Adds constraints, environments and tensor representations that the schema lacks, in place.

    Args:
      observed: the columns of the data at hand, by name.
    """
    # TFXIO matches the columns of the schema with those of the Parquet files by position, and the
    # files have sorted columns.
    schema.feature.sort(key=lambda feature: feature.name)
    for feature in schema.feature:
        _limit_new_values(schema, feature, rules)
        if rules.uses(feature.name):
            _refuse_infinity(feature)
        if feature.name == rules.label.column:
            _require(feature)
    _name_environments(schema, rules)
    _add_representations(schema, observed, rules)


def default_value(kind: int) -> schema_pb2.TensorRepresentation.DefaultValue:
    """Returns the value of a dense tensor that marks a missing value, by schema_pb2.FeatureType."""
    value = schema_pb2.TensorRepresentation.DefaultValue()
    if kind == schema_pb2.FLOAT:
        value.float_value = MISSING_FLOAT
    elif kind == schema_pb2.INT:
        value.int_value = MISSING_INT
    else:
        value.bytes_value = MISSING_STRING.encode()
    return value


def dense_representation(feature: schema_pb2.Feature) -> schema_pb2.TensorRepresentation:
    """Returns a dense representation, [batch, 1], with the default value for a missing value."""
    representation = schema_pb2.TensorRepresentation()
    dense = representation.dense_tensor
    dense.column_name = feature.name
    dense.shape.dim.add(size=1)
    dense.default_value.CopyFrom(default_value(feature.type))
    return representation


def drop_default_representations(schema: schema_pb2.Schema) -> None:
    """Removes, in place, the representations that `fill_in_defaults` would add again."""
    group = schema.tensor_representation_group[_GROUP].tensor_representation
    for feature in schema.feature:
        # Compared as text, because NaN is not equal to itself.
        if feature.name in group and str(group[feature.name]) == str(dense_representation(feature)):
            del group[feature.name]
    if not group:
        del schema.tensor_representation_group[_GROUP]


def _limit_new_values(
    schema: schema_pb2.Schema, feature: schema_pb2.Feature, rules: CurationRules
) -> None:
    if feature.HasField("distribution_constraints") or read_domain(schema, feature) is None:
        return
    # Even a rare class that is not in label.classes can neither be trained on nor evaluated.
    is_label = feature.name == rules.label.column
    tolerated = 0.0 if is_label else rules.column(feature.name).new_category_share or 0.0
    feature.distribution_constraints.min_domain_mass = round(1 - tolerated, 6)


def _refuse_infinity(feature: schema_pb2.Feature) -> None:
    """Forbids infinite values: one makes the mean NaN, and so all standardised values."""
    if feature.type != schema_pb2.FLOAT:
        return
    if feature.WhichOneof("domain_info") not in (None, "float_domain"):
        return
    if not feature.float_domain.HasField("disallow_inf"):
        feature.float_domain.disallow_inf = True


def _require(label: schema_pb2.Feature) -> None:
    if not label.HasField("presence"):
        label.presence.min_fraction = 1
        label.presence.min_count = 1


def _name_environments(schema: schema_pb2.Schema, rules: CurationRules) -> None:
    """Adds environments, so that requests, which have no label, can be validated as well."""
    if schema.default_environment or any(
        feature.in_environment or feature.not_in_environment for feature in schema.feature
    ):
        return
    schema.default_environment.extend([_TRAINING, _SERVING])
    for feature in schema.feature:
        if feature.name == rules.label.column:
            feature.not_in_environment.append(_SERVING)


def _add_representations(
    schema: schema_pb2.Schema, observed: Mapping[str, ColumnSummary], rules: CurationRules
) -> None:
    group = schema.tensor_representation_group[_GROUP].tensor_representation
    represented = {r.dense_tensor.column_name for r in group.values()} | set(group)
    for feature in schema.feature:
        if feature.name not in represented and _is_read(feature, observed, rules):
            group[feature.name].CopyFrom(dense_representation(feature))


def _is_read(
    feature: schema_pb2.Feature, observed: Mapping[str, ColumnSummary], rules: CurationRules
) -> bool:
    """Whether the column is to be read as a dense tensor.

    A column that is neither in the data nor a feature or the label is not read from the files. The
    gate decides whether its absence stops the run.
    """
    if feature.deprecated or feature.lifecycle_stage in _UNREAD:
        return False
    if rules.uses(feature.name):
        return True
    column = observed.get(feature.name)
    return column is not None and column.values_per_row <= 1
