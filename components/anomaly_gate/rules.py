"""The part of the configuration that determines the findings."""

from __future__ import annotations

from pipeline.config import Config, SchemaConfig, Section, ValidationConfig

# Times and identifiers change by nature, and TFDV keeps no distribution of free text.
_COMPARED_KINDS = ("numeric", "bucketized", "categorical", "boolean")


class GateRules(Section):
    """The configuration of AnomalyReport. Other settings are left out: the output stays cached."""

    kinds: dict[str, str]
    """The features, each with its kind."""
    label: str
    """The label's column."""
    schema_: SchemaConfig
    """Settings of the schema and the reference."""
    validation: ValidationConfig
    """Tolerances and severities."""

    @classmethod
    def of(cls, config: Config) -> GateRules:
        return cls(
            kinds=config.kinds(),
            label=config.label.column,
            schema_=config.schema_,
            validation=config.validation,
        )

    def is_compared(self, column: str) -> bool:
        """Whether a change of the column's distribution is news, and the model sees it."""
        return column == self.label or self.kinds.get(column) in _COMPARED_KINDS

    def is_category(self, column: str) -> bool:
        """Whether the integers of the column are codes, which StatisticsGen counts like texts."""
        return self.kinds.get(column) == "categorical"
