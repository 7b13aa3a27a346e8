"""Finds the configuration of the run that made a version, for commands without a configuration."""

from __future__ import annotations

from pipeline.config import Config, load_config
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.runners.history.past_runs import list_runs
from pipeline.runners.workspace.places import Workspace


def find_configuration(workspace: Workspace, version: str) -> Config:
    """Returns the configuration of the run that pushed `version`, or else of the newest run.

    Raises:
      ConfigError: no run of the workspace has left a configuration.
    """
    runs = list_runs(workspace)
    ordered = [run for run in runs if run.version == version] + runs[::-1]
    for run in ordered:
        path = workspace.logs / run.run / RunFile.CONFIGURATION
        if path.exists():
            return load_config([path])
    raise ConfigError(
        f"{workspace.name}: no run here has left its configuration", "name it with --config"
    )
