"""The samples that the page shows side by side: the splits, and the served model's data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.data_figures.figures import SERVED, Role
from components.findings.findings import Findings
from components.statistics_view.column_summary import (
    ColumnSummary,
    common_statistics,
    iter_columns,
    nan_count,
    observe_schema,
    summarize_columns,
)
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import Reference, Splits
from pipeline.config import LabelConfig
from pipeline.core.contracts import Split

Statistics: TypeAlias = statistics_pb2.FeatureNameStatistics


@dataclass(frozen=True)
class DataInputs:
    """Everything that the figures are made from, but the examples."""

    statistics: Splits
    schema: schema_pb2.Schema
    """The curated schema."""
    reference: Reference | None
    """Schema and statistics of the served model's data; None on a first run."""
    findings: Findings
    rules: GateRules
    label: LabelConfig

    @cached_property
    def samples(self) -> Mapping[str, Mapping[str, Statistics]]:
        """The statistics by sample and column; the splits first, then `served`."""
        samples = dict(self.statistics)
        if self.reference is not None and Split.TRAIN in self.reference.statistics:
            samples[SERVED] = self.reference.statistics[Split.TRAIN]
        return {
            name: dict(iter_columns(sample)) for name, sample in samples.items() if sample.features
        }

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The rows of each sample."""
        counts = {name: int(split.num_examples) for name, split in self.statistics.items()}
        if SERVED in self.samples and self.reference is not None:
            counts[SERVED] = int(self.reference.statistics[Split.TRAIN].num_examples)
        return counts

    @cached_property
    def summaries(self) -> Mapping[str, ColumnSummary]:
        """Each column over all splits."""
        return summarize_columns(self.statistics.values())

    @cached_property
    def observed_schema(self) -> schema_pb2.Schema:
        """The columns of the splits with the types that their values have."""
        return observe_schema(self.summaries)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the splits, and the features that only the served model's data has."""
        before = self.samples.get(SERVED, {})
        gone = (name for name in before if self.role(name) != "other")
        return tuple(dict.fromkeys([*self.summaries, *gone]))

    def column(self, name: str) -> dict[str, Statistics]:
        """Returns the statistics of one column by sample; a sample without the column is absent."""
        return {sample: found[name] for sample, found in self.samples.items() if name in found}

    def role(self, name: str) -> Role:
        """Returns what the column is to the model."""
        if name == self.label.column:
            return "label"
        if name == self.label.weight_column:
            return "weight"
        return "feature" if name in self.rules.kinds else "other"

    def missing(self, name: str) -> dict[str, float]:
        """Returns the share of rows without a value by sample.

        A split that lacks the column misses all values. The served model's data is then left out.
        """
        shares = {}
        for sample, columns in self.samples.items():
            if name in columns and self.rows[sample]:
                shares[sample] = 1 - count_values(columns[name]) / self.rows[sample]
            elif sample != SERVED and self.rows[sample]:
                shares[sample] = 1.0
        return shares


def count_values(statistics: Statistics) -> int:
    """Returns the number of values of a column; NaN is none."""
    return int(common_statistics(statistics).num_non_missing) - nan_count(statistics)
