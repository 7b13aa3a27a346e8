"""The table of a search is read back from its file."""

from __future__ import annotations

import json
from pathlib import Path

from components.tuner.results import read_results
from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import SearchResults, TrialResult, to_json


def test_the_table_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    rows = (
        TrialResult("1", {"training.learning_rate": 0.1}, "failed", message="diverged"),
        TrialResult("2", {"training.learning_rate": 0.01}, "done", 0.5, {"eval_loss": 0.5}),
    )
    results = SearchResults("eval_loss", rows, "2", "search-abc", rows[1].values)
    (tmp_path / ArtifactFile.TUNER_RESULTS).write_text(json.dumps(to_json(results)))
    assert read_results(str(tmp_path)) == results
