"""The report of a run on Kubeflow."""

from __future__ import annotations

import json
from pathlib import Path

from kubeflow_records import make_record
from stopped_run import make_parameters, write_stopped_run

from pipeline.core.events import Failure
from pipeline.report.content import Report
from pipeline.report.page import render_page
from pipeline.runners.kubeflow.page.gather import gather_report, read_run
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory


def make_report(directory: RunDirectory, parameters: dict[str, str]) -> Report:
    return gather_report(read_run(directory, parameters), parameters)


def test_the_page_of_a_stopped_run_says_first_what_stopped_it(tmp_path: Path) -> None:
    report = make_report(write_stopped_run(tmp_path), make_parameters("training.epochs=3"))
    assert (report.verdict.status, report.verdict.exit_code) == ("stopped by the data gate", 3)
    assert "because of 1 finding" in report.verdict.headline
    commands = [step.command for step in report.verdict.next_steps]
    assert commands[0] == report.lineage.command
    assert commands[0] is not None
    assert "--parameter=overrides=training.epochs=3" in commands[0]
    assert report.data.checked_against == "the served model"
    assert (report.training, report.quality) == (None, None)
    states = {component.name: component.state for component in report.components}
    assert states["Trainer"] == "waiting"
    assert report.lineage.fingerprint == "c0de"
    assert "epochs: 3" in report.lineage.configuration
    page = render_page(report)
    assert "<b>Evil" not in page
    assert page.index("The data gate stopped the run") < page.index("Evil &amp; Co")


def test_wrong_overrides_leave_the_compiled_configuration(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "1f2e")
    error = Failure("overrides: training.epoch=3: unknown key")
    directory.write(make_record("Prepare", state="failed", exit_code=2, error=error))
    report = make_report(directory, make_parameters("training.epoch=3"))
    assert report.verdict.status == "misconfigured"
    assert "unknown key" in " ".join(report.verdict.reasons)
    assert "name: taxi" in report.lineage.configuration


def test_a_cached_training_names_the_run_that_trained(tmp_path: Path) -> None:
    first, second = (RunDirectory(tmp_path / name) for name in ("run-1", "run-2"))
    prepared = {"properties": {"example-gen": "e", "trainer": "t"}}
    made = [
        make_record("ExampleGen", properties="e", makes=("s3://b/1/examples",)),
        make_record(
            "Trainer", properties="t", reads=("s3://b/1/examples",), makes=("s3://b/1/model_run",)
        ),
    ]
    for record in made:
        first.write(record)
    history = {"epochs": [{"loss": 0.5, "seconds": 1.0, "steps": 5}], "best_epoch": 1}
    (tmp_path / "history.json").write_text(json.dumps(history))
    first.keep_files("Trainer", "model_run", {"history.json": tmp_path / "history.json"})
    second.write(make_record("Prepare", "run-2", properties="", outcome=prepared))
    graph = {"Prepare": [], "ExampleGen": ["Prepare"], "Trainer": ["ExampleGen"]}
    parameters = {**make_parameters(), "tasks": json.dumps(graph)}
    report = make_report(second, parameters)
    assert report.training is not None
    assert (report.training.cached_from, report.training.best_epoch) == ("run-1", 1)
    assert {artifact.made_by_run for artifact in report.lineage.artifacts} == {"run-1"}
    # Its files outlive the first run.
    assert read_run(second, parameters).files("Trainer", "model_run")


def test_without_the_cache_no_task_counts_as_cached(tmp_path: Path) -> None:
    first, second = (RunDirectory(tmp_path / name) for name in ("run-1", "run-2"))
    first.write(make_record("ExampleGen", properties="e"))
    prepared = {"properties": {"example-gen": "e"}}
    second.write(make_record("Prepare", "run-2", properties="", outcome=prepared))
    assert "ExampleGen" in read_run(second, make_parameters()).records
    (second.path / "tasks/ExampleGen.json").unlink()
    uncached = make_parameters("kubeflow.cache=false")
    assert "ExampleGen" not in read_run(second, uncached).records
