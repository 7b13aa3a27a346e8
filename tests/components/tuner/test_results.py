"""The table and the best values of a search as files."""

from __future__ import annotations

import json
from pathlib import Path

from components.tuner.results import RESULTS_FILE, SearchResults, TrialResult, read_results


def test_the_table_and_the_best_values_are_read_back(tmp_path: Path) -> None:
    rows = (
        TrialResult("1", {"training.learning_rate": 0.1}, "failed", message="diverged"),
        TrialResult("2", {"training.learning_rate": 0.01}, "done", 0.5, {"eval_loss": 0.5}),
    )
    results = SearchResults("eval_loss", rows, best="2", search="search-abc")
    (tmp_path / RESULTS_FILE).write_text(results.to_json())
    table = read_results(str(tmp_path))
    assert table["best_values"] == json.loads(results.best_to_json())
    assert table["best_values"] == {"training.learning_rate": 0.01}
    assert [row["message"] for row in table["trials"]] == ["diverged", ""]
    assert table["trials"][1]["measures"] == {"eval_loss": 0.5}
