"""Removes what Beam's writes leave in an artifact when an engine had to start them again.

A finished write removes the temporary directory of its last attempt. The directory of an attempt
whose worker died stays, and would be sealed and copied with the artifact.
"""

from __future__ import annotations

import os
import shutil

from pipeline.core.files import is_remote

_PREFIX = "beam-temp-"


def sweep_leftovers(directory: str) -> None:
    """Removes Beam's temporary directories below `directory`, when its jobs have ended."""
    if is_remote(directory):
        return
    for parent, names, _ in os.walk(directory):
        for name in [name for name in names if name.startswith(_PREFIX)]:
            shutil.rmtree(os.path.join(parent, name))
            names.remove(name)
