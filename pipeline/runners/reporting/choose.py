"""Finds the run that the user means."""

from __future__ import annotations

import difflib

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.places import Workspace


def choose_run(workspace: Workspace, name: str | None) -> str:
    """Returns the name of a run; the newest one if `name` is None.

    Raises:
      ConfigError: there is no such run.
    """
    names = [path.name for path in workspace.run_directories()]
    if not names:
        raise ConfigError(f"{workspace.name}: no run has left logs here", "name another --output")
    if name is None:
        return names[-1]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.3) or [names[-1]]
        raise ConfigError(
            f"{workspace.name} has no run {name}", f"did you mean {near[0]}? `runs` lists all runs"
        )
    return name
