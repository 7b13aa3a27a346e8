"""The part of the configuration that decides what the examples are: the component's cache key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.config import ColumnType, DataConfig, LabelConfig


@dataclass(frozen=True)
class IngestConfig:
    """What ColumnarExampleGen reads of the configuration, and nothing else.

    Other settings must not reach it: TFX would rerun it, and all that follows, for their change.
    """

    data: DataConfig
    label: LabelConfig
    column_types: Mapping[str, ColumnType]
    """The types that the configuration decides; other columns' types are inferred."""

    def to_json(self) -> str:
        """Canonical JSON: equal configurations give equal text."""
        sections = {
            "data": self.data.model_dump(mode="json"),
            "label": self.label.model_dump(mode="json"),
            "column_types": dict(self.column_types),
        }
        return json.dumps(sections, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> IngestConfig:
        sections = json.loads(text)
        return cls(
            data=DataConfig.model_validate(sections["data"]),
            label=LabelConfig.model_validate(sections["label"]),
            column_types=sections["column_types"],
        )
