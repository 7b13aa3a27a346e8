"""The records of a run in the form in which the page reads a local run."""

from __future__ import annotations

from pathlib import Path

from stopped_run import EXAMPLES, FINDING, FINDINGS, make_parameters, write_stopped_run

from pipeline.core.events import TrainingProgress, emit
from pipeline.runners.kubeflow.page.gather import read_run
from pipeline.runners.kubeflow.page.run_view import RecordedRun, view_files, view_nodes


def read(root: Path) -> RecordedRun:
    return read_run(write_stopped_run(root), make_parameters())


def test_a_stopped_run_has_the_summary_of_a_local_one(tmp_path: Path) -> None:
    files = view_files(read(tmp_path))
    summary = files.summary
    assert (summary.name, summary.run, summary.exit_code) == ("taxi", "1f2e", 3)
    assert summary.status == "stopped by the data gate"
    assert summary.findings is not None
    assert summary.findings.findings == (FINDING,)
    assert 59 < (summary.seconds or 0) < 600
    assert [component.state for component in summary.components] == [*["complete"] * 3, "failed"]
    assert files.started is not None
    assert files.started.components == (
        "Prepare", "ExampleGen", "AnomalyReport", "AnomalyGate", "Trainer",
    )  # fmt: skip
    assert files.started.code == {"ExampleGen": "d1"}
    assert files.record is not None
    assert [(file.path, file.bytes) for file in files.record.data_files] == [("/mnt/trips.csv", 12)]
    assert "tensorflow" in files.record.versions
    assert "name: taxi" in files.configuration


def test_artifacts_have_numbers_and_parents_and_two_places(tmp_path: Path) -> None:
    run = read(tmp_path)
    stored, kept = view_nodes(run, in_store=True), view_nodes(run, in_store=False)
    examples, findings = (stored[n].outputs for n in ("ExampleGen", "AnomalyReport"))
    assert (examples["examples"].uri, findings["findings"].uri) == (EXAMPLES, FINDINGS)
    assert findings["findings"].parents == (examples["examples"].id,)
    assert (Path(kept["AnomalyReport"].outputs["findings"].uri) / "findings.json").exists()
    assert stored["AnomalyGate"].state == "failed"
    assert "Trainer" not in stored


def test_the_events_of_a_killed_training_are_read(tmp_path: Path, monkeypatch) -> None:
    run = read(tmp_path)
    path = run.directory.events("Trainer")
    path.parent.mkdir()
    monkeypatch.setenv("PIPELINE_EVENTS", str(path))
    event = TrainingProgress(1, 3, 5, 5, 0.5, 0.4, 100.0)
    assert emit(event)
    assert view_files(run).events(TrainingProgress) == [event]
