"""What the data gate stops."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section

Severity = Literal["stop", "warn", "ignore"]


class SeverityConfig(Section):
    """How grave each kind of anomaly is."""

    missing_column: Severity = "stop"
    """A column of the schema is not in the data."""
    new_column: Severity = "warn"
    """A column of the data is not in the schema."""
    wrong_type: Severity = "stop"
    """A column has another type than in the schema."""
    new_category: Severity = "stop"
    """More than `new_category_share` of a column's values are outside its domain."""
    missing_values: Severity = "stop"
    """A column has more missing values than the schema or `missing_values_rise` allows."""
    out_of_range: Severity = "stop"
    """A number is outside the range of the schema."""
    drift: Severity = "stop"
    """A column's distribution moved away from that of the served model's training data."""
    skew: Severity = "warn"
    """The splits' distributions differ from each other."""
    too_few_examples: Severity = "stop"
    """A split has fewer examples than the schema asks for."""
    other: Severity = "stop"
    """Any other anomaly TensorFlow Data Validation reports."""


class ValidationConfig(Section):
    """The anomaly gate."""

    severity: SeverityConfig = SeverityConfig()
    """How grave each kind of anomaly is."""
    new_category_share: float = Field(default=0.01, ge=0, le=1)
    """The share of values outside a column's domain that is tolerated."""
    missing_values_rise: float = Field(default=0.1, ge=0, le=1)
    """How far a column's share of missing values may rise above that of the reference."""
    numeric_drift: float = Field(default=0.05, ge=0, le=1)
    """The Jensen-Shannon divergence of a numeric column from the reference that is tolerated."""
    categorical_drift: float = Field(default=0.1, ge=0, le=1)
    """The L-infinity distance between a category's shares and the reference that is tolerated."""
