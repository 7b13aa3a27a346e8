"""The part of the configuration that determines the examples, and so is in the cache key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.config import ColumnType, DataConfig, LabelConfig


@dataclass(frozen=True)
class IngestConfig:
    """The configuration of ColumnarExampleGen, and nothing else.

    No other setting may be in here: when that setting changed, TFX would run ExampleGen and all
    later components again.
    """

    data: DataConfig
    label: LabelConfig
    column_types: Mapping[str, ColumnType]
    """The types that the configuration sets; the types of other columns are inferred."""
    reference_split: str = ""
    """The SplitRecord of the served model as JSON; empty if no model is served."""

    def to_json(self) -> str:
        """Returns canonical JSON: equal configurations give equal text."""
        sections = {
            "data": self.data.model_dump(mode="json"),
            "label": self.label.model_dump(mode="json"),
            "column_types": dict(self.column_types),
            "reference_split": self.reference_split,
        }
        return json.dumps(sections, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> IngestConfig:
        """Returns the configuration that `to_json` wrote."""
        sections = json.loads(text)
        return cls(
            data=DataConfig.model_validate(sections["data"]),
            label=LabelConfig.model_validate(sections["label"]),
            column_types=sections["column_types"],
            reference_split=sections["reference_split"],
        )
