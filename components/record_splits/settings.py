"""The part of the configuration that decides which records are used, and in which split."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from components.tables.splitting.split_record import SplitRecord, plan_split
from pipeline.config import DataConfig, LabelConfig, SplitConfig


@dataclass(frozen=True)
class RecordSettings:
    """The settings of an ExampleGen of records, and so a part of its cache key."""

    split: SplitConfig
    label: str
    """The label's feature: a record without a value in it is left out."""
    max_missing: float
    """See `label.max_missing`."""
    classes: tuple[str, ...] = ()
    """The classes that a label may have; empty for a regression."""
    reference_split: str = ""
    """The SplitRecord of the served model as JSON; empty if no model is served."""

    def plan_split(self, names: Sequence[str]) -> SplitRecord:
        """Returns how the records are divided, of which any has a feature in `names`."""
        return plan_split(self.split, names, self.label, self.reference)

    @property
    def reference(self) -> SplitRecord | None:
        """How the records of the served model were divided."""
        return SplitRecord.from_json(self.reference_split)

    @classmethod
    def of(cls, data: DataConfig, label: LabelConfig, reference_split: str = "") -> RecordSettings:
        """Returns the settings that a configuration has."""
        return cls(data.split, label.column, label.max_missing, label.classes, reference_split)

    def to_json(self) -> str:
        """Returns canonical JSON: equal settings give equal text."""
        content = {
            "split": self.split.model_dump(mode="json"),
            "label": self.label,
            "max_missing": self.max_missing,
            "classes": self.classes,
            "reference_split": self.reference_split,
        }
        return json.dumps(content, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> RecordSettings:
        """Returns the settings that `to_json` wrote."""
        content = json.loads(text)
        split, classes = SplitConfig.model_validate(content["split"]), tuple(content["classes"])
        values = (content["label"], content["max_missing"], classes, content["reference_split"])
        return cls(split, *values)
