"""The Beam flags of a configuration, for every runner and for the command `predict`.

Beam takes the last of two contradicting flags. So the order is: the default runner, the engine,
`beam.args`, and the flags of the component.
"""

from __future__ import annotations

from pipeline.config.engine.section import make_job_name
from pipeline.config.root import Config
from pipeline.config.sections.beam import RUNNER, run_in_process


def list_shared_flags(config: Config) -> tuple[str, ...]:
    """Returns the flags of all components."""
    return (RUNNER, *_platform_flags(config), *run_in_process(config.beam.args))


def list_own_flags(config: Config, component: str) -> tuple[str, ...]:
    """Returns the flags of one component, which come after those of all components."""
    name = make_job_name(config.name, component)
    own = run_in_process(getattr(config.beam.components, component, ()))
    return own if config.engine.is_local else (f"--job_name={name}", *own)


def _platform_flags(config: Config) -> tuple[str, ...]:
    if not config.engine.is_local:
        return config.engine.flags()
    # Beam workers on this machine need no container image. Without the flag TFX builds a package
    # of itself for each component: that takes seconds and leaves 50 MB of temporary files.
    return ("--sdk_container_image=none",) if config.beam.is_local() else ()
