"""How the data work is run by Beam."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section


class BeamConfig(Section):
    """Beam pipeline options."""

    args: tuple[str, ...] = Field(
        default=("--runner=DirectRunner", "--direct_running_mode=in_memory"), min_length=1
    )
    """Beam's command-line flags; the runner is always named."""
