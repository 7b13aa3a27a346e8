"""The part of the configuration that says when a row happened and how a person finds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.config import Section, SplitConfig
from pipeline.core.date_formats import TimestampFormat


class PlaceSettings(Section):
    """The columns that locate a row, for findings: a time, and a key."""

    time: str | None = None
    """The column to split by, if it is a time, else the first feature of kind timestamp."""
    time_format: TimestampFormat | None = None
    """The format of the times; None if the configuration leaves it to the data."""
    key: str | None = None
    """The column to split by, if it is a key."""

    @classmethod
    def of(cls, features: Mapping[str, Any], split: SplitConfig) -> PlaceSettings:
        """Returns the settings that follow from the sections `features` and `data.split`."""
        formats = {name: f.format for name, f in features.items() if f.kind == "timestamp"}
        time = split.column if split.by == "time" else next(iter(formats), None)
        return cls(
            time=time,
            time_format=(split.time_format if split.by == "time" else None)
            or formats.get(time or ""),
            key=split.column if split.by == "key" else None,
        )
