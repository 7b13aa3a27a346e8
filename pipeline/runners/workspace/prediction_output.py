"""Checks, before hours of work, that BatchPredictor may and can write to its output directory.

BatchPredictor runs after the push: there, a wrong directory is found too late.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.core.stores.address import is_store_address
from pipeline.runners.workspace.lock import check_writable
from pipeline.runners.workspace.places import Workspace
from serving.batch.results.output_directory import check_output

_KEY = "prediction.output"


def check_predictions(workspace: Workspace, output: str) -> None:
    """Checks `prediction.output` and makes nothing; on a store, an object for a moment.

    Raises:
      ConfigError: the directory is one of the workspace, holds files of others, is a file, or
        cannot be written.
    """
    workspace.refuse_predictions(output)
    if is_store_address(output):
        check_output(output, _KEY)
        return
    place = Path(output).absolute()
    check_output(str(place), _KEY)
    check_writable(next(path for path in (place, *place.parents) if path.exists()), _KEY)
