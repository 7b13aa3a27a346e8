"""The part of the configuration that the findings depend on."""

from __future__ import annotations

from pipeline.config import Config, SchemaConfig, Section, ValidationConfig

# Points in time and identifiers move on by nature, and of free text TFDV keeps no distribution.
_COMPARED_KINDS = ("numeric", "bucketized", "categorical", "boolean")


class GateRules(Section):
    """What the report is told; nothing else, so that other settings leave its output cached."""

    kinds: dict[str, str]
    """The features, each with its kind."""
    label: str
    """The label's column."""
    schema_: SchemaConfig
    """Where the reference comes from."""
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
        """Whether the column's integers are codes, and were counted as such."""
        return self.kinds.get(column) == "categorical"
