"""The part of the configuration that the serving check depends on."""

from __future__ import annotations

from pipeline.config import CheckConfig, Section


class CheckSettings(Section):
    """The configuration of ServingCheck. Other settings are left out: the output stays cached."""

    check: CheckConfig
    columns: tuple[str, ...]
    """The features."""
