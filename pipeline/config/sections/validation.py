"""The section `validation`: which anomalies stop a run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section

Severity = Literal["stop", "warn", "ignore"]


class SeverityConfig(Section):
    """What each kind of anomaly does: stop the run, warn, or nothing."""

    missing_column: Severity = "stop"
    """A column of the schema is absent from the data."""
    new_column: Severity = "warn"
    """A column of the data is absent from the schema."""
    wrong_type: Severity = "stop"
    """A column's type differs from the schema."""
    new_category: Severity = "stop"
    """More than `new_category_share` of a column's values lie outside its domain."""
    missing_values: Severity = "stop"
    """A column has more missing values than the schema or `missing_values_rise` allows."""
    out_of_range: Severity = "stop"
    """A number lies outside the range in the schema."""
    drift: Severity = "stop"
    """A column's distribution differs from the served model's training data."""
    skew: Severity = "warn"
    """A column's distributions differ between the splits."""
    too_few_examples: Severity = "stop"
    """A split has fewer examples than the schema requires."""
    other: Severity = "stop"
    """Any other anomaly that TensorFlow Data Validation reports."""


class ValidationConfig(Section):
    """The data gate."""

    severity: SeverityConfig = SeverityConfig()
    """What each kind of anomaly does: stop the run, warn, or nothing."""
    new_category_share: float = Field(default=0.01, ge=0, le=1)
    """The tolerated share of values outside a column's domain."""
    missing_values_rise: float = Field(default=0.1, ge=0, le=1)
    """The tolerated rise of a column's share of missing values above the reference."""
    numeric_drift: float = Field(default=0.05, ge=0, le=1)
    """The tolerated Jensen-Shannon divergence between a numeric column and the reference."""
    categorical_drift: float = Field(default=0.1, ge=0, le=1)
    """The tolerated L-infinity distance between the shares of a column's categories and the \
reference."""
