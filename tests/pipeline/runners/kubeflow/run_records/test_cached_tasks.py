"""Tasks that Kubeflow took from its cache are found among the records of earlier runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from kubeflow_records import make_record

from pipeline.runners.kubeflow.run_records.cached_tasks import adopt_cached_tasks
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord

GRAPH = {
    "Prepare": [],
    "ExampleGen": ["Prepare"],
    "AnomalyGate": ["Prepare", "ExampleGen"],
    "Trainer": ["Prepare", "ExampleGen", "AnomalyGate"],
}
PROPERTIES = {node: f"digest of {node}" for node in GRAPH}


@pytest.fixture
def first(tmp_path: Path) -> RunDirectory:
    """A complete run."""
    directory = RunDirectory(tmp_path / "run-1")
    for record in (
        make_record("Prepare", properties=""),
        make_record("ExampleGen", makes=("s3://1/examples",)),
        make_record("AnomalyGate", reads=("s3://1/examples",)),
        make_record("Trainer", reads=("s3://1/examples",), makes=("s3://1/model",)),
    ):
        directory.write(record)
    return directory


def adopt(
    earlier: RunDirectory, *records: TaskRecord, **properties: str
) -> dict[str, tuple[str, str]]:
    """Returns state and run of each node of a second run that left these records."""
    directory = RunDirectory(earlier.path.with_name("run-2"))
    for record in (make_record("Prepare", "run-2", properties=""), *records):
        directory.write(record)
    found = adopt_cached_tasks(directory, GRAPH, {**PROPERTIES, **properties}, [earlier])
    assert found == directory.read()
    return {node: (record.state, record.run) for node, record in found.items()}


def test_all_tasks_of_an_unchanged_run_are_found(first: RunDirectory) -> None:
    assert adopt(first) == {
        "Prepare": ("complete", "run-2"),
        "ExampleGen": ("cached", "run-1"),
        "AnomalyGate": ("cached", "run-1"),
        "Trainer": ("cached", "run-1"),
    }


def test_a_third_run_names_the_run_that_made_the_artifacts(first: RunDirectory) -> None:
    adopt(first)
    second, third = (RunDirectory(first.path.with_name(f"run-{i}")) for i in (2, 3))
    third.write(make_record("Prepare", "run-3", properties=""))
    found = adopt_cached_tasks(third, GRAPH, PROPERTIES, [second])
    assert found["Trainer"].run == "run-1"


def test_a_task_with_other_properties_is_not_taken_from_another_run(first: RunDirectory) -> None:
    assert set(adopt(first, Trainer="changed")) == {"Prepare", "ExampleGen", "AnomalyGate"}


def test_a_task_that_would_have_read_other_artifacts_is_not_taken(first: RunDirectory) -> None:
    made = make_record("ExampleGen", "run-2", makes=("s3://2/examples",))
    assert set(adopt(first, made)) == {"Prepare", "ExampleGen"}


def test_nothing_below_a_failed_task_counts_as_cached(first: RunDirectory) -> None:
    stopped = make_record("AnomalyGate", "run-2", state="failed", reads=("s3://1/examples",))
    assert adopt(first, stopped) == {
        "Prepare": ("complete", "run-2"),
        "ExampleGen": ("cached", "run-1"),
        "AnomalyGate": ("failed", "run-2"),
    }
