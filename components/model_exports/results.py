"""The files of the ModelExports artifact, and how they are read.

This module imports nothing heavy: the command line reads the results.

- `exports.json` holds an `ExportResult` for the model, for the served model and for each export.
- `pushed/`, if an export passed, is what the Pusher copies to `assets.extra/exports/` of a version:
  `manifest.json`, the SavedModel `transform/`, and the files of the exports that passed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import ExportResult, to_json
from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json

PUSHED = "pushed"
"""The directory of what the Pusher copies."""
TRANSFORM = "transform"
"""The SavedModel of Transform's graph in that directory."""


def write_results(directory: str, results: Sequence[ExportResult]) -> None:
    """Writes `exports.json`; NaN and infinite numbers become null."""
    path = os.path.join(directory, ArtifactFile.EXPORTS)
    write_text_atomically(path, readable_json(to_json(results)), durable=False)


def read_results(directory: str) -> tuple[ExportResult, ...]:
    """Returns the results in a ModelExports artifact, in the order of the configuration."""
    with open(os.path.join(directory, ArtifactFile.EXPORTS), encoding="utf-8") as file:
        return tuple(map(ExportResult.from_json, json.load(file)))


def find_pushed(directory: str) -> str | None:
    """Returns the directory to push from a ModelExports artifact; None if no export passed."""
    pushed = os.path.join(directory, PUSHED)
    return pushed if os.path.exists(os.path.join(pushed, ArtifactFile.EXPORT_MANIFEST)) else None
