"""The results of a match are there as soon as they are put."""

from pathlib import Path

import numpy as np

from benchmarks.contest.kept import Kept, Result


def test_results_are_read_by_another_process(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "results")
    kept.put("TF-IDF, linear", Result(np.array([0.25, 0.5]), {"seconds": 2.0}))
    kept.put("AutoGluon", Result(None, failure="no model within 15 s"))
    found = Kept(tmp_path / "results").read()
    assert list(found) == ["AutoGluon", "TF-IDF, linear"]
    assert found["AutoGluon"] == Result(None, {}, "no model within 15 s")
    assert found["TF-IDF, linear"].answers.tolist() == [0.25, 0.5]
    assert found["TF-IDF, linear"].facts == {"seconds": 2.0}


def test_predictions_without_facts_count_as_absent(tmp_path: Path) -> None:
    """A kill between the two files."""
    np.save(tmp_path / "ours.npy", np.zeros(3))
    assert "ours" not in Kept(tmp_path)
    assert Kept(tmp_path).read() == {}
