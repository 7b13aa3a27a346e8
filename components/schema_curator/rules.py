"""The part of the configuration that determines the curated schema."""

from __future__ import annotations

from typing import Literal

from pipeline.config import ColumnValidation, LabelConfig, SchemaConfig, Section, ValidationConfig

# New values are normal for free text, identifiers and times.
_OPEN_KINDS = ("text", "hashed", "timestamp")
_NOT_IN_SCHEMA = {"drift", "skew", "severity"}
_NO_SETTINGS = ColumnValidation()


class CurationRules(Section):
    """The configuration of SchemaCurator. Other settings are left out: the output stays cached."""

    later_keys = frozenset(("own",))

    kinds: dict[str, str]
    """The features and the weight column, each with its kind."""
    label: LabelConfig
    """The label."""
    imported: bool
    """Whether the input schema comes from git."""
    reference: Literal["served", "none"]
    """Whether the schema of the served model may be curated instead of the inferred one."""
    max_domain: int
    """The greatest number of values of a text column that gets a domain."""
    new_category_share: float
    """The tolerated share of values outside a domain."""
    missing_values_rise: float
    """The tolerated rise of the share of missing values."""
    own: dict[str, ColumnValidation] = {}
    """Settings of single columns, of `validation.columns`."""

    @classmethod
    def of(
        cls,
        kinds: dict[str, str],
        label: LabelConfig,
        schema: SchemaConfig,
        validation: ValidationConfig,
    ) -> CurationRules:
        return cls(
            kinds=kinds,
            label=label,
            imported=schema.path is not None,
            reference=schema.reference,
            max_domain=schema.max_domain,
            new_category_share=validation.new_category_share,
            missing_values_rise=validation.missing_values_rise,
            own=_settings_of_schema(validation),
        )

    def columns(self) -> list[str]:
        """Returns the features, the weight column and the label."""
        return [*self.kinds, self.label.column]

    def uses(self, column: str) -> bool:
        """Whether the column is a feature, the weight column or the label."""
        return column in self.kinds or column == self.label.column

    def is_closed(self, column: str) -> bool:
        """Whether new values of the column are unexpected."""
        return self.uses(column) and self.kinds.get(column) not in _OPEN_KINDS

    def column(self, name: str) -> ColumnValidation:
        """Returns the column's own settings, with the tolerances of all columns as defaults."""
        own = self.own.get(name, _NO_SETTINGS)
        general = {
            key: getattr(self, key)
            for key in ("missing_values_rise", "new_category_share")
            if getattr(own, key) is None
        }
        return own.model_copy(update=general)

    def is_inferred_anew(self, name: str) -> bool:
        """Whether the schema of this column does not come from the served model."""
        return self.own.get(name, _NO_SETTINGS).reference == "none"


def _settings_of_schema(validation: ValidationConfig) -> dict[str, ColumnValidation]:
    """Returns the settings of columns that the schema depends on; the others leave it cached."""
    kept = {
        name: ColumnValidation(**own.model_dump(exclude=_NOT_IN_SCHEMA))
        for name, own in validation.columns.items()
    }
    return {name: own for name, own in kept.items() if own != _NO_SETTINGS}
