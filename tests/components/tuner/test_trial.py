"""A trial's job reaches the function, and its measures reach the result file."""

from __future__ import annotations

import json
from pathlib import Path

from components.tuner.trial import TrialJob, run_trial


def test_the_measures_of_the_function_are_written_to_the_result_file(tmp_path: Path) -> None:
    job = TrialJob(
        "fake_trials.valley",
        {"journal": str(tmp_path / "journal")},
        epochs=4,
        values={"training.learning_rate": 0.01},
        directory=str(tmp_path / "trial-1"),
        result=str(tmp_path / "result.json"),
    )
    run_trial(job.to_line())
    measures = json.loads((tmp_path / "result.json").read_text())
    assert measures == {"eval_loss": 0.25, "eval_auc": 0.975, "epochs": 4, "steps": 40}
    assert (tmp_path / "journal").read_text().startswith("trial-1 0-4 ")
