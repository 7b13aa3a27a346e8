"""How the data work is run by Beam."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section


class BeamConfig(Section):
    """Beam pipeline options."""

    args: tuple[str, ...] = Field(
        default=(
            "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",
            "--direct_running_mode=in_memory",
        ),
        min_length=1,
    )
    """Beam's command-line flags; the runner is always named, since newer Beam's `DirectRunner`
    first tries to download another one."""
