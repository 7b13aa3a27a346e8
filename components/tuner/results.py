"""The files to which a search writes the table of its trials, and the best values."""

from __future__ import annotations

import json
import os

from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import SearchResults

BEST_FILE = "best_hyperparameters.txt"
"""The file with the best values, as TFX's own Tuner names it."""


def read_results(directory: str) -> SearchResults:
    """Returns the table in the `tuner_results` artifact at `directory`."""
    with open(os.path.join(directory, ArtifactFile.TUNER_RESULTS), encoding="utf-8") as file:
        return SearchResults.from_json(json.load(file))
