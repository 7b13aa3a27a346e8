"""The Beam flags that a runner adds to those of the configuration."""

from __future__ import annotations

from pipeline.config import Config
from pipeline.config.sections.beam import uses_local_runner


def extra_beam_args(config: Config) -> tuple[str, ...]:
    """Returns a flag for Beam workers on this machine, which need no container image.

    Without the flag TFX builds a package of itself for each component. That takes seconds and
    leaves 50 MB of temporary files.
    """
    return ("--sdk_container_image=none",) if uses_local_runner(config.beam.all_flags()) else ()
