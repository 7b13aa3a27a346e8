"""Whether the columns that the configuration names are in the table."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from pipeline.config import Config, ConfigError


def check_features(config: Config, columns: Sequence[str]) -> None:
    """Raises ConfigError for the first key that names a column the table has not."""
    known = set(columns)
    for key, column in _named_columns(config):
        if column not in known:
            near = difflib.get_close_matches(column, columns, n=1)
            raise ConfigError(
                f"{key}: the table has no column '{column}'",
                f"did you mean '{near[0]}'?" if near else f"it has {', '.join(columns)}",
            )


def _named_columns(config: Config) -> Iterator[tuple[str, str]]:
    yield from ((f"features.{name}", name) for name in config.features)
    yield from ((f"data.types.{name}", name) for name in config.data.types)
    for index, columns in enumerate(config.evaluation.slices):
        yield from ((f"evaluation.slices.{index}", column) for column in columns)
    for index, threshold in enumerate(config.evaluation.thresholds):
        yield from ((f"evaluation.thresholds.{index}.slice_by", c) for c in threshold.slice_by)
