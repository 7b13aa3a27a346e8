"""What a finding is explained from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.rules import GateRules
from components.statistics_view.column_summary import ColumnSummary, summarize_columns
from components.statistics_view.reference import Reference, Splits


@dataclass(frozen=True)
class GateInputs:
    """The data at hand and everything it is held against."""

    statistics: Splits
    schema: schema_pb2.Schema
    """The curated one."""
    reference: Reference | None
    """The served model's data; None on a first run."""
    rules: GateRules

    @cached_property
    def columns(self) -> Mapping[str, ColumnSummary]:
        return summarize_columns(self.statistics.values())

    @cached_property
    def reference_columns(self) -> Mapping[str, ColumnSummary]:
        return summarize_columns(self.reference.statistics.values()) if self.reference else {}

    def schema_feature(self, column: str) -> schema_pb2.Feature:
        """The column in the schema; one without any rule if it is not there."""
        found = (feature for feature in self.schema.feature if feature.name == column)
        return next(found, schema_pb2.Feature(name=column))

    @property
    def in_git(self) -> bool:
        return self.rules.schema_.path is not None

    @property
    def served(self) -> str:
        return f"the served model {self.reference.version}" if self.reference else ""

    @property
    def checked_against(self) -> str:
        """Where the schema came from."""
        if self.in_git:
            return "the schema in git"
        if self.reference is not None:
            return self.served
        if self.rules.schema_.reference == "none":
            return "itself (schema.reference is none)"
        return "itself (first run)"
