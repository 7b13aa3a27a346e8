"""Checks that the table has the columns that the configuration names."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from pipeline.config import Config
from pipeline.config.base import Key, dotted
from pipeline.core.errors import ConfigError


def check_named_columns(config: Config, columns: Sequence[str]) -> None:
    """Raises ConfigError for the first key that names a column which is not in `columns`.

    Columns of the table and of a schema may be in `columns` twice.
    """
    known = set(columns)
    for key, column in _named_columns(config):
        if column not in known:
            near = difflib.get_close_matches(column, columns, n=1)
            listed = ", ".join(dict.fromkeys(columns))
            raise ConfigError(
                f"{dotted(key)}: the table has no column '{column}'",
                f"did you mean '{near[0]}'?" if near else f"it has {listed}",
            )


def _named_columns(config: Config) -> Iterator[tuple[Key, str]]:
    yield from ((("features", name), name) for name in config.features)
    yield from ((("data", "types", name), name) for name in config.data.types)
    for index, columns in enumerate(config.evaluation.slices):
        yield from ((("evaluation", "slices", index), column) for column in columns)
    for index, threshold in enumerate(config.evaluation.thresholds):
        key = ("evaluation", "thresholds", index, "slice_by")
        yield from ((key, column) for column in threshold.slice_by)
    for index, limit in enumerate(config.evaluation.gaps):
        key = ("evaluation", "gaps", index, "slice_by")
        yield from ((key, column) for column in limit.slice_by)
