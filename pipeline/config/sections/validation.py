"""The section `validation`: which anomalies stop a run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

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
    far_values: Severity = "stop"
    """More than `far_values_share` of a column's numbers lie far outside the range of the served \
model's data: farther than the range is wide."""
    drift: Severity = "stop"
    """A column's distribution differs from the served model's training data."""
    skew: Severity = "warn"
    """A column's distributions differ between the splits."""
    too_few_examples: Severity = "stop"
    """A split has fewer examples than the schema requires."""
    other: Severity = "stop"
    """Any other anomaly that TensorFlow Data Validation reports."""


AnomalyKind = Literal[
    "missing_column", "new_column", "wrong_type", "new_category", "missing_values",
    "out_of_range", "far_values", "drift", "skew", "too_few_examples", "other",
]  # fmt: skip


class ColumnValidation(Section):
    """What one column may do, in place of the settings for all columns."""

    reference: Literal["served", "none"] = "served"
    """`none`: this column is compared with nothing, and its part of the schema is inferred anew."""
    drift: float | None = Field(default=None, ge=0, le=1)
    """The tolerated distance from the reference (default: `numeric_drift` or \
`categorical_drift`)."""
    skew: float | None = Field(default=None, ge=0, le=1)
    """The tolerated distance of a split from split train (default: `numeric_drift` or \
`categorical_drift`)."""
    missing_values_rise: float | None = Field(default=None, ge=0, le=1)
    """The tolerated rise of the share of missing values above the reference (default: that of \
`validation`)."""
    new_category_share: float | None = Field(default=None, ge=0, le=1)
    """The tolerated share of values outside the domain (default: that of `validation`)."""
    far_values_share: float | None = Field(default=None, ge=0, le=1)
    """The tolerated share of numbers far outside the reference's range (default: that of \
`validation`)."""
    values: tuple[str, ...] = ()
    """Values that are added to the domain."""
    minimum: float | None = None
    """The least allowed value (default: that of the schema, if it has one)."""
    maximum: float | None = None
    """The greatest allowed value (default: that of the schema, if it has one)."""
    severity: dict[AnomalyKind, Severity] = {}
    """What a kind of anomaly of this column does (default: that of `validation.severity`)."""

    @model_validator(mode="after")
    def _check_range(self) -> ColumnValidation:
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum:g} is above maximum {self.maximum:g}")
        return self


class ValidationConfig(Section):
    """The data gate."""

    later_keys = frozenset(("columns",))

    severity: SeverityConfig = SeverityConfig()
    """What each kind of anomaly does: stop the run, warn, or nothing."""
    new_category_share: float = Field(default=0.01, ge=0, le=1)
    """The tolerated share of values outside a column's domain."""
    far_values_share: float = Field(default=0.01, ge=0, le=1)
    """The tolerated share of a column's numbers that lie farther outside the range of the \
reference than this range is wide."""
    missing_values_rise: float = Field(default=0.1, ge=0, le=1)
    """The tolerated rise of a column's share of missing values above the reference."""
    numeric_drift: float = Field(default=0.05, ge=0, le=1)
    """The tolerated Jensen-Shannon divergence between a numeric column and the reference."""
    categorical_drift: float = Field(default=0.1, ge=0, le=1)
    """The tolerated L-infinity distance between the shares of a column's categories and the \
reference."""
    columns: dict[str, ColumnValidation] = {}
    """Settings of single columns, by name. They also hold for columns that are no features."""

    def column(self, name: str | None) -> ColumnValidation:
        """Returns the settings of one column; those of the whole table have none of their own."""
        return self.columns.get(name or "", _NO_SETTINGS)

    def severity_of(self, kind: str, column: str | None) -> Severity:
        """Returns what a kind of anomaly does in a column, or in the whole table for None."""
        own = {str(key): value for key, value in self.column(column).severity.items()}
        found: Severity = own.get(kind) or getattr(self.severity, kind)
        return found

    def not_compared(self) -> tuple[str, ...]:
        """Returns the columns that are compared with nothing."""
        return tuple(name for name, own in self.columns.items() if own.reference == "none")


_NO_SETTINGS = ColumnValidation()
