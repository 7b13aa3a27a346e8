"""The part of the configuration that the curated schema depends on."""

from __future__ import annotations

from typing import Literal

from pipeline.config import Config, LabelConfig, Section

# Their values are new by nature: free text, identifiers and points in time.
_OPEN_KINDS = ("text", "hashed", "timestamp")


class CurationRules(Section):
    """What the curator is told; nothing else, so that other settings leave its output cached."""

    kinds: dict[str, str]
    """The features, each with its kind."""
    label: LabelConfig
    """The label."""
    imported: bool
    """Whether the input is a schema from git."""
    reference: Literal["served", "none"]
    """Whether the served model's schema may be the base."""
    max_domain: int
    """Text columns with at most so many values get a domain."""
    new_category_share: float
    """The tolerated share of values outside a domain."""
    missing_values_rise: float
    """The tolerated rise of the share of missing values."""

    @classmethod
    def of(cls, config: Config) -> CurationRules:
        return cls(
            kinds=config.kinds(),
            label=config.label,
            imported=config.schema_.path is not None,
            reference=config.schema_.reference,
            max_domain=config.schema_.max_domain,
            new_category_share=config.validation.new_category_share,
            missing_values_rise=config.validation.missing_values_rise,
        )

    def columns(self) -> list[str]:
        """The columns that the model sees or predicts."""
        return [*self.kinds, self.label.column]

    def uses(self, column: str) -> bool:
        return column in self.kinds or column == self.label.column

    def is_closed(self, column: str) -> bool:
        """Whether a new value of the column would be news."""
        return self.uses(column) and self.kinds.get(column) not in _OPEN_KINDS
