"""Says which settings of the gate are no defaults: with them, the gate may find nothing wrong."""

from __future__ import annotations

from pipeline.config.base import list_values
from pipeline.config.sections.validation import ValidationConfig
from pipeline.core.text import list_first

_MOST_SHOWN = 3


def describe_own_settings(validation: ValidationConfig) -> str:
    """Returns a sentence with the keys and values; empty if all are defaults."""
    changed = validation.model_dump(exclude_defaults=True, mode="json")
    settings = [f"{key}={value}" for key, value in list_values(changed, ("validation",))]
    if not settings:
        return ""
    shown = ", ".join(list_first(settings, _MOST_SHOWN, "setting"))
    return f"the gate does not judge by its defaults alone: {shown}"
