"""Writes the settings of single columns, `validation.columns`, into the schema."""

from __future__ import annotations

import math
from collections.abc import Collection

from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.schema_domains import read_domain
from pipeline.config import ColumnValidation


def apply_settings(
    schema: schema_pb2.Schema, feature: schema_pb2.Feature, own: ColumnValidation
) -> None:
    """Adds the column's values to its domain and sets its range, in place.

    A column without a domain knows no new values, so its `values` change nothing.
    """
    domain = read_domain(schema, feature)
    if own.values and domain is not None:
        # The domain may be shared with other columns, which the values are not for.
        feature.ClearField(feature.WhichOneof("domain_info"))
        feature.string_domain.value.extend(dict.fromkeys([*domain, *own.values]))
    if own.minimum is not None or own.maximum is not None:
        _set_range(feature, own)


def _set_range(feature: schema_pb2.Feature, own: ColumnValidation) -> None:
    kind = feature.WhichOneof("domain_info")
    if feature.type == schema_pb2.FLOAT and kind in (None, "float_domain"):
        if own.minimum is not None:
            feature.float_domain.min = own.minimum
        if own.maximum is not None:
            feature.float_domain.max = own.maximum
    elif feature.type == schema_pb2.INT and kind in (None, "int_domain"):
        if own.minimum is not None:
            feature.int_domain.min = math.ceil(own.minimum)
        if own.maximum is not None:
            feature.int_domain.max = math.floor(own.maximum)


def take_columns_from(
    inferred: schema_pb2.Schema, schema: schema_pb2.Schema, columns: Collection[str]
) -> schema_pb2.Schema:
    """Returns a copy of `schema` in which these columns are as in the inferred schema.

    A column that the data lacks is then absent; a new column is declared.
    """
    result = schema_pb2.Schema()
    result.CopyFrom(schema)
    kept = [feature for feature in schema.feature if feature.name not in columns]
    taken = [feature for feature in inferred.feature if feature.name in columns]
    del result.feature[:]
    result.feature.extend([*kept, *taken])
    return result
