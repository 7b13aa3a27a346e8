"""What becomes of categories with few rows a value, of which a model learns each row by heart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from pipeline.config import Feature
from pipeline.config.sections.features import Categorical
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.reading.columns import Column

_FEW_ROWS_A_VALUE = 5.0
"""Rows per value below which a trial decides whether the column is a feature at all."""
_LEAST_ROWS_A_VALUE = 3.0
"""Rows per value below which no trial can make the column a category: its mean labels would come
from one or two rows each, which a model learns by heart."""
_FEWEST_VALUES = 100
"""Different values up to which a category is small enough to be kept without a trial."""
_HARDLY_REPEATED = 2.0
"""Rows per value below which the column is left out even if no other column is a feature."""


def has_few_rows_a_value(column: Column) -> bool:
    return column.distinct > _FEWEST_VALUES and column.present < _FEW_ROWS_A_VALUE * column.distinct


def has_too_few_rows_a_value(column: Column) -> bool:
    """Whether the column is no category, whatever a trial says."""
    # Rounded as `describe_rows` shows it.
    is_short = has_few_rows_a_value(column)
    return is_short and round(column.present / column.distinct, 1) < _LEAST_ROWS_A_VALUE


def leave_out_untried(
    choices: Mapping[str, FeatureChoice], columns: Mapping[str, Column], why: str
) -> dict[str, FeatureChoice]:
    """Returns the choices without the columns of few rows a value, since no trial speaks for them.

    If no other column is a feature, those whose values repeat are kept.
    """
    has_others = any(c.feature for n, c in choices.items() if n not in columns)
    settled = dict(choices)
    for name, column in columns.items():
        kept = soften(choices[name], column)
        if has_others or column.present < _HARDLY_REPEATED * column.distinct:
            assert kept.feature is not None
            settings = _describe_settings(kept.feature.value)
            cause = why
            if has_too_few_rows_a_value(column):
                cause = f"a category needs {_LEAST_ROWS_A_VALUE:.0f}"
            reason = f"{describe_rows(column)}, and {cause}; to keep it, set {settings}"
            settled[name] = FeatureChoice(None, reason, kept.warning)
        else:
            settled[name] = kept
    return settled


def soften(choice: FeatureChoice, column: Column) -> FeatureChoice:
    """Leaves an embedding of few rows a value no room to learn the rows by heart."""
    assert choice.feature is not None
    feature = choice.feature.value
    is_merged = isinstance(feature, Categorical) and feature.min_count >= _FEW_ROWS_A_VALUE
    if is_merged or not has_few_rows_a_value(column):
        return choice
    softened = feature.model_copy(update={"embedding_dimension": 1})
    why = f"{choice.feature.why}; {describe_rows(column)}: one number each, against overfitting"
    return replace(choice, feature=Guess(softened, why))


def _describe_settings(feature: Feature) -> str:
    """Returns the feature as YAML on one line."""
    settings = feature.model_dump(mode="json", exclude_defaults=True)
    others = (f", {key}: {json.dumps(value)}" for key, value in settings.items() if key != "kind")
    return f"{{kind: {feature.kind}{''.join(others)}}}"


def describe_rows(column: Column) -> str:
    return f"{column.present / column.distinct:.1f} rows per value"
