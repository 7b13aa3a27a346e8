"""Says which settings of the gate are no defaults: with them, the gate may find nothing wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.config.base import dotted
from pipeline.config.sections.validation import ValidationConfig
from pipeline.core.text import counted

_MOST_SHOWN = 3


def describe_own_settings(validation: ValidationConfig) -> str:
    """Returns a sentence with the keys and values; empty if all are defaults."""
    changed = validation.model_dump(exclude_defaults=True, mode="json")
    settings = [f"{dotted(key)}={value}" for key, value in _list_leaves(("validation",), changed)]
    if not settings:
        return ""
    shown = settings[:_MOST_SHOWN]
    if more := len(settings) - len(shown):
        shown.append(f"and {counted(more, 'more setting')}")
    return f"the gate does not judge by its defaults alone: {', '.join(shown)}"


def _list_leaves(key: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(value, Mapping):
        yield key, value
        return
    for name, inner in value.items():
        yield from _list_leaves((*key, name), inner)
