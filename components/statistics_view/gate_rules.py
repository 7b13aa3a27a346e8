"""The part of the configuration that determines the findings."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from pipeline.config import LabelConfig, SchemaConfig, Section, ValidationConfig

# Times and identifiers change by nature, and TFDV keeps no distribution of free text.
_COMPARED_KINDS = ("numeric", "bucketized", "categorical", "boolean")


class GateRules(Section):
    """The configuration of AnomalyReport. Other settings are left out: the output stays cached."""

    model_config = ConfigDict(populate_by_name=True)

    kinds: dict[str, str]
    """The features, each with its kind."""
    label_column: str = Field(alias="label")
    """The label's column."""
    schema_: SchemaConfig
    """Settings of the schema and the reference."""
    validation: ValidationConfig
    """Tolerances and severities."""

    @classmethod
    def of(
        cls,
        kinds: dict[str, str],
        label: LabelConfig,
        schema: SchemaConfig,
        validation: ValidationConfig,
    ) -> GateRules:
        return cls(kinds=kinds, label_column=label.column, schema_=schema, validation=validation)

    def is_compared(self, column: str) -> bool:
        """Whether a change of the column's distribution is news, and the model sees it."""
        return column == self.label_column or self.kinds.get(column) in _COMPARED_KINDS

    def is_category(self, column: str) -> bool:
        """Whether the integers of the column are codes, which StatisticsGen counts like texts."""
        return self.kinds.get(column) == "categorical"
