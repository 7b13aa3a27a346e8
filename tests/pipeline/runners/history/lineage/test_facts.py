"""The facts of executions and artifacts come from their properties."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.contracts import ArtifactFile
from pipeline.runners.history.graph import Artifact, Execution
from pipeline.runners.history.lineage.facts import (
    DataSource,
    describe_artifact,
    describe_execution,
    read_source,
)

NOW = datetime.now().astimezone()


def execution(component: str, **properties: Any) -> Execution:
    return Execution(1, component, "complete", NOW, None, properties, (), ())


def artifact(type_name: str, **properties: Any) -> Artifact:
    return Artifact(1, type_name, "/out/x", True, NOW, properties)


def test_the_settings_of_a_training_are_found_in_json_within_json() -> None:
    config = {"model": json.dumps({"family": "mlp"}), "training": json.dumps({"epochs": 3})}
    trainer = execution("Trainer", custom_config=json.dumps({**config, "code": "ab" * 60}))
    facts = describe_execution(trainer)
    assert (facts["family"], facts["epochs"]) == ("mlp", "3")
    assert len(facts["code"]) < 100
    assert describe_execution(execution("Trainer", custom_config="no JSON")) == {}
    assert describe_execution(execution("Unknown", custom_config="{}")) == {}


def test_the_settings_of_trees_are_those_that_the_training_read() -> None:
    trees = {"iterations": 111, "learning_rate": 0.05}
    config = {
        "model": json.dumps({"family": "trees", "trees": trees}),
        "training": json.dumps({"epochs": 3, "learning_rate": 0.001, "seed": 4}),
    }
    facts = describe_execution(execution("Trainer", custom_config=json.dumps(config)))
    assert facts == {"family": "trees", "iterations": "111", "learning rate": "0.05", "seed": "4"}


def test_the_table_of_a_columnar_run_is_named_with_its_fingerprint() -> None:
    value = json.dumps({"data": {"path": ["a.csv", "b*.csv"]}})
    config = json.dumps({"custom_config": {"value": value}})
    source = read_source(execution("ExampleGen", custom_config=config), "f" * 32)
    assert source == DataSource(("a.csv", "b*.csv"), None, "f" * 32)
    assert read_source(execution("Trainer", custom_config=config), None) is None


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"input_base": "/data"}, DataSource(("/data/*.tfrecord",), None, None)),
        ({}, DataSource((), "*.tfrecord", None)),
    ],
)
def test_the_source_of_tfx_components_is_named(
    properties: dict[str, str], expected: DataSource
) -> None:
    config = json.dumps({"splits": [{"name": "single", "pattern": "*.tfrecord"}]})
    assert read_source(execution("ExampleGen", input_config=config, **properties), "") == expected


def test_an_artifact_tells_what_its_component_noted(tmp_path: Path) -> None:
    examples = artifact("Examples", rows='{"train": 1234}', note="one row was left out")
    assert describe_artifact(examples, None) == {
        "rows": "1,234 train",
        "note": "one row was left out",
    }
    assert describe_artifact(artifact("ModelBlessing", blessed=0), None) == {"blessed": "no"}
    assert describe_artifact(artifact("ExampleAnomalies", blessed="a struct"), None) == {}
    assert describe_artifact(artifact("PushedModel", pushed=0), None) == {"pushed": "no"}
    pushed = artifact("PushedModel", pushed=1, pushed_version="17")
    assert describe_artifact(pushed, None) == {"version": "17"}


def test_a_record_names_the_version_that_a_run_compared_with(tmp_path: Path) -> None:
    record = artifact("ServedModelRecord")
    assert describe_artifact(record, None) == {}
    assert describe_artifact(record, tmp_path) == {}
    (tmp_path / ArtifactFile.SERVED_RECORD).write_text("{}")
    assert describe_artifact(record, tmp_path) == {"compares with": "nothing"}
    (tmp_path / ArtifactFile.SERVED_RECORD).write_text("damaged")
    assert describe_artifact(record, tmp_path) == {}
