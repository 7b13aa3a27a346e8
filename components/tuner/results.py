"""The files in which a search leaves the table of its trials, and the best values."""

from __future__ import annotations

import json
import os

from pipeline.core.events import SearchResults

RESULTS_FILE = "tuner_results.json"
BEST_FILE = "best_hyperparameters.txt"
"""As TFX's own Tuner calls them."""


def read_results(directory: str) -> SearchResults:
    """The table that was written to the `tuner_results` artifact."""
    with open(os.path.join(directory, RESULTS_FILE), encoding="utf-8") as file:
        return SearchResults.from_json(json.load(file))
