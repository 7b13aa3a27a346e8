"""What a runner adds to Beam's flags."""

from __future__ import annotations

from pipeline.config import Config
from pipeline.config.sections.beam import uses_local_runner


def extra_beam_args(config: Config) -> tuple[str, ...]:
    """Workers of this machine need no image; without one TFX packs itself up for each component.

    That takes seconds, and leaves 50 MB among the temporary files.
    """
    return ("--sdk_container_image=none",) if uses_local_runner(config.beam.all_flags()) else ()
