"""The inputs of all findings: the data, and everything that the data is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.column_summary import (
    ColumnSummary,
    observe_schema,
    summarize_columns,
)
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import Reference, Splits
from pipeline.core.contracts import NO_REFERENCE

ReadColumn = Callable[[str, str], pa.ChunkedArray]
"""Takes a split and a column; returns the cells of all rows."""


@dataclass(frozen=True)
class GateInputs:
    """The statistics of the data, and the schema, reference and rules to compare them with."""

    statistics: Splits
    schema: schema_pb2.Schema
    """The curated schema."""
    reference: Reference | None
    """Schema and statistics of the served model's data; None on a first run."""
    rules: GateRules
    left_out: str | None = None
    """The version of the served model that `schema.reference: none` leaves out, or None."""

    @cached_property
    def columns(self) -> Mapping[str, ColumnSummary]:
        """The columns of the data over all splits, by name."""
        return summarize_columns(self.statistics.values())

    @cached_property
    def reference_columns(self) -> Mapping[str, ColumnSummary]:
        """The columns of the served model's data that columns are compared with, by name."""
        if self.reference is None:
            return {}
        columns = summarize_columns(self.reference.statistics.values())
        left_out = self.rules.validation.not_compared()
        return {name: column for name, column in columns.items() if name not in left_out}

    @cached_property
    def observed_schema(self) -> schema_pb2.Schema:
        """The columns of the data with the types that their values have."""
        return observe_schema(self.columns)

    def schema_feature(self, column: str) -> schema_pb2.Feature:
        """Returns the column in the schema, or a feature without rules if the schema lacks it."""
        found = (feature for feature in self.schema.feature if feature.name == column)
        return next(found, schema_pb2.Feature(name=column))

    @property
    def is_schema_in_git(self) -> bool:
        """Whether the schema comes from git."""
        return self.rules.schema_.path is not None

    @property
    def served(self) -> str:
        """The served model in words; empty on a first run."""
        return f"the served model {self.reference.version}" if self.reference else ""

    @property
    def checked_against(self) -> str:
        """The origin of the schema in words."""
        if self.is_schema_in_git:
            return "the schema in git"
        if self.reference is not None:
            left_out = self.rules.validation.not_compared()
            names = ", ".join(f"'{name}'" for name in left_out)
            return f"{self.served}, except {names}" if left_out else self.served
        if self.left_out is not None:
            return NO_REFERENCE
        return "itself (first run)"
