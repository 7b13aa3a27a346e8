"""Keys of tables that a source of records does not read."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.config.base import RuleError
from pipeline.config.sections.data import DataConfig
from pipeline.config.sections.serving import PredictionConfig

_OF_TABLES = ("types", "csv", "limits")


def find_unread_by_records(
    data: DataConfig, prediction: PredictionConfig | None
) -> Iterator[RuleError]:
    """Yields an error for each key that neither the source nor a prediction would read.

    Batch predictions read tables, also with a model that was made from records.
    """
    if data.source in ("csv", "parquet") or prediction is not None:
        return
    for key in _OF_TABLES:
        if getattr(data, key) != DataConfig.model_fields[key].default:
            yield RuleError(
                ("data", key),
                f"source {data.source} does not read it, since records have types already. "
                "Only batch predictions of files would, in a section `prediction`",
            )
