"""Asks the engine of a configuration whether it can do the work of a run."""

from __future__ import annotations

from pipeline.config import Config
from pipeline.config.engine.beam_flags import list_own_flags, list_shared_flags
from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.contracts import Node


def check_workers(config: Config, directory: str) -> None:
    """Runs a small job on the engine, if there is one.

    Args:
      directory: where the run's artifacts go.

    Raises:
      ConfigError: the workers do not fit the run.
    """
    if config.engine.is_local:
        return
    # Only here: this import brings Beam.
    from components.engine.probe import probe_engine

    shared = list_shared_flags(config)
    reads_here = uses_local_runner([*shared, *list_own_flags(config, Node.EXAMPLE_GEN)])
    data = None if reads_here else config.data
    flags = [*shared, *list_own_flags(config, "probe")]
    probe_engine(config.engine, flags, data, directory)
