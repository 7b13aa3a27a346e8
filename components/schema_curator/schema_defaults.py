"""What every curated schema has, whoever wrote it: only what is absent is added."""

from __future__ import annotations

from collections.abc import Mapping

from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.schema_domains import read_domain
from pipeline.core.missing_values import MISSING_FLOAT, MISSING_INT, MISSING_STRING

# The group that TFXIO looks for.
_GROUP = ""
_TRAINING = "TRAINING"
_SERVING = "SERVING"
_UNREAD = (schema_pb2.PLANNED, schema_pb2.ALPHA, schema_pb2.DEPRECATED, schema_pb2.DEBUG_ONLY)


def fill_in_defaults(
    schema: schema_pb2.Schema, observed: Mapping[str, ColumnSummary], rules: CurationRules
) -> None:
    """Adds, in place, what a schema needs to be read by and does not say yet."""
    # TFXIO matches the schema's columns with those of the Parquet files by position.
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
    """What stands for a missing value of a schema_pb2.FeatureType in a dense tensor."""
    value = schema_pb2.TensorRepresentation.DefaultValue()
    if kind == schema_pb2.FLOAT:
        value.float_value = MISSING_FLOAT
    elif kind == schema_pb2.INT:
        value.int_value = MISSING_INT
    else:
        value.bytes_value = MISSING_STRING.encode()
    return value


def dense_representation(feature: schema_pb2.Feature) -> schema_pb2.TensorRepresentation:
    """One value a row, [batch, 1], a missing one filled in."""
    representation = schema_pb2.TensorRepresentation()
    dense = representation.dense_tensor
    dense.column_name = feature.name
    dense.shape.dim.add(size=1)
    dense.default_value.CopyFrom(default_value(feature.type))
    return representation


def drop_default_representations(schema: schema_pb2.Schema) -> None:
    """Takes away, in place, the representations that `fill_in_defaults` would add again."""
    group = schema.tensor_representation_group[_GROUP].tensor_representation
    for feature in schema.feature:
        # As text, because NaN is unequal to itself.
        if feature.name in group and str(group[feature.name]) == str(dense_representation(feature)):
            del group[feature.name]
    if not group:
        del schema.tensor_representation_group[_GROUP]


def _limit_new_values(
    schema: schema_pb2.Schema, feature: schema_pb2.Feature, rules: CurationRules
) -> None:
    if feature.HasField("distribution_constraints") or read_domain(schema, feature) is None:
        return
    # A class that the model does not know can neither be learnt nor counted, however rare.
    tolerated = 0 if feature.name == rules.label.column else rules.new_category_share
    feature.distribution_constraints.min_domain_mass = round(1 - tolerated, 6)


def _refuse_infinity(feature: schema_pb2.Feature) -> None:
    """An infinite value makes every mean, and so every standardised feature, NaN."""
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
    """Lets requests to the model, which have no label, be validated against the same schema."""
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
    """Whether the column can and shall be a dense tensor.

    A column that is absent from the data and that nothing needs must not be asked of the files:
    whether its absence stops the run is for the gate to say.
    """
    if feature.deprecated or feature.lifecycle_stage in _UNREAD:
        return False
    if rules.uses(feature.name):
        return True
    column = observed.get(feature.name)
    return column is not None and column.values_per_row <= 1
